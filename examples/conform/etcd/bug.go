package main

import (
	"fmt"
	"slices"
	"strings"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// A Bug is a mistake that is planted in the storage and the messages around the library. The library itself is not
// changed: it reads another state from its storage, or handles another message than the one that the log has.
type Bug string

// The bugs.
const (
	None         Bug = ""
	VotesTwice   Bug = "votes-twice"        // votes for several candidates of a term
	HalfQuorum   Bug = "half-quorum"        // takes half of the votes, rounded down, for a majority
	ForgetsVote  Bug = "forgets-vote"       // does not know after a restart for whom it voted
	ForgetsTerm  Bug = "forgets-term"       // restarts in an earlier term
	KeepsVote    Bug = "vote-not-reset"     // keeps its vote in a later term
	CountsOld    Bug = "counts-old-votes"   // counts votes of earlier terms
	IgnoresLog   Bug = "log-not-up-to-date" // votes for a candidate with an older log
	CommitsOlder Bug = "commits-older-term" // commits an entry of an earlier term by counting its copies
)

// Bugs lists all bugs.
var Bugs = []Bug{VotesTwice, HalfQuorum, ForgetsVote, ForgetsTerm, KeepsVote, CountsOld, IgnoresLog, CommitsOlder}

func bugNames() (names []string) {
	for _, b := range Bugs {
		names = append(names, string(b))
	}
	return names
}

func bugOf(name string) (Bug, error) {
	if b := Bug(name); b == None || slices.Contains(Bugs, b) {
		return b, nil
	}
	return None, fmt.Errorf("there is no bug %q: use %s", name, strings.Join(bugNames(), ", "))
}

// restartWith restarts the server with another state than the stored one.
func (s *server) restartWith(change func(*raftpb.HardState)) error {
	s.disk.corrupt = change
	defer func() { s.disk.corrupt = nil }()
	return s.start()
}

// forget prepares a restart that forgets something.
func (s *server) forget() {
	switch s.Bug {
	case ForgetsVote:
		s.disk.corrupt = func(h *raftpb.HardState) {
			if h.GetVote() != 0 {
				s.blame()
				h.Vote = new(uint64(0))
			}
		}
	case ForgetsTerm:
		s.disk.corrupt = func(h *raftpb.HardState) {
			if last := s.entries(); h.GetTerm() > 1 && (len(last) == 0 || last[len(last)-1].GetTerm() < h.GetTerm()) {
				s.blame()
				h.Term = new(h.GetTerm() - 1)
			}
		}
	}
}

// step passes a message to the library, changed by a bug.
func (s *server) step(m *raftpb.Message) error {
	status := s.node.BasicStatus()
	term, vote := status.GetTerm(), status.GetVote()
	switch s.Bug {
	case VotesTwice:
		voted := vote != 0 && vote != m.GetFrom() && m.GetTerm() == term && status.RaftState == raft.StateFollower
		if m.GetType() == raftpb.MsgVote && voted && !s.isBehind(m) {
			s.blame()
			if err := s.restartWith(func(h *raftpb.HardState) { h.Vote = new(uint64(0)) }); err != nil {
				return err
			}
		}
	case HalfQuorum:
		granted := m.GetType() == raftpb.MsgVoteResp && m.GetTerm() == term && !m.GetReject()
		if granted && status.RaftState == raft.StateCandidate {
			s.votes[m.GetFrom()] = true
			for id := uint64(1); 1+len(s.votes) == s.Servers/2 && id <= uint64(s.Servers); id++ {
				if id == status.ID || s.votes[id] {
					continue
				}
				other := &raftpb.Message{Type: m.Type, Term: m.Term, From: new(id), To: m.To}
				if err := s.node.Step(other); err != nil {
					return err
				}
				s.blame()
				break
			}
		}
	case CountsOld:
		if m.GetType() == raftpb.MsgVoteResp && m.GetTerm() < term {
			if status.RaftState == raft.StateCandidate && !m.GetReject() {
				s.blame()
			}
			m = &raftpb.Message{Type: m.Type, Term: new(term), From: m.From, To: m.To, Reject: m.Reject}
		}
	case IgnoresLog:
		free := m.GetTerm() > term || m.GetTerm() == term && vote == 0 && status.Lead == 0
		if m.GetType() == raftpb.MsgVote && free && s.isBehind(m) {
			s.blame()
			m = &raftpb.Message{Type: m.Type, Term: m.Term, From: m.From, To: m.To,
				Index: new(uint64(1 << 20)), LogTerm: new(uint64(1 << 20))}
		}
	case CommitsOlder:
		if m.GetType() == raftpb.MsgAppResp && m.GetTerm() == term && !m.GetReject() {
			s.match[m.GetFrom()] = max(s.match[m.GetFrom()], m.GetIndex())
		}
	}
	err := s.node.Step(m)
	now := s.node.BasicStatus()
	if s.Bug == KeepsVote && err == nil && now.GetTerm() > term && now.GetVote() == 0 && vote != 0 {
		s.blame()
		later := now.GetTerm()
		return s.restartWith(func(h *raftpb.HardState) { h.Term, h.Vote = new(later), new(vote) })
	}
	if now.GetTerm() > term {
		s.match = map[uint64]uint64{}
	}
	return err
}

// changeSent changes a message that the server sends.
func (s *server) changeSent(m *raftpb.Message) {
	if s.Bug != CommitsOlder || m.GetType() != raftpb.MsgApp {
		return
	}
	for index := uint64(s.last()); index > m.GetCommit(); index-- {
		copies := 1
		for _, stored := range s.match {
			if stored >= index {
				copies++
			}
		}
		if 2*copies > s.Servers {
			s.blame()
			m.Commit = new(index)
			return
		}
	}
}
