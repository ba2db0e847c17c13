package main

import (
	"errors"
	"io"
	"math/rand/v2"
	"strconv"
	"time"

	"github.com/hashicorp/raft"
)

// A transport passes messages of a server to others.
type transport struct{ *server }

// A request is on the way to a server.
type request struct {
	from    int
	command any
	answer  chan any // gets the answer, nil if there is none
}

var errLost = errors.New("a message is lost")

// line returns the line about a message: a process sends it to another one, receives it from that, or the network loses
// what was sent to the process.
func (c *cluster) line(p int, do string, other int, message any) Line {
	l := Line{Process: p, Do: do}
	if do == "send" {
		l.To = &other
	} else {
		l.From = &other
	}
	switch m := message.(type) {
	case *raft.RequestVoteRequest:
		l.Message, l.Args = "RequestVote", []any{m.Term}
	case *raft.RequestVoteResponse:
		l.Message, l.Args = "Vote", []any{m.Term, m.Granted}
	case *raft.AppendEntriesRequest:
		l.Message, l.Args = "Append", []any{m.Term}
	case *raft.AppendEntriesResponse:
		l.Message, l.Args = "Stored", []any{m.Term}
	}
	return l
}

// call sends a request and returns the answer, unless one of them is lost.
func (s *server) call(target raft.ServerAddress, command any) (any, error) {
	to, err := strconv.Atoi(string(target))
	if err != nil || !s.add(s, s.line(s.number, "send", to, command)) {
		return nil, errLost
	}
	if _, votes := command.(*raft.RequestVoteRequest); votes {
		time.Sleep(time.Duration(rand.IntN(40)) * time.Millisecond) // so that there are several candidates
	}
	r := request{s.number, command, make(chan any, 1)}
	if other := s.server(to); other == nil || rand.IntN(20) == 0 || !other.accept(r) {
		s.add(nil, s.line(to, "lose", s.number, command))
		return nil, errLost
	}
	answer := <-r.answer
	if answer == nil {
		return nil, errLost
	}
	if rand.IntN(20) == 0 {
		s.add(nil, s.line(s.number, "lose", to, answer))
		return nil, errLost
	}
	count := func() {
		if vote, ok := answer.(*raft.RequestVoteResponse); ok && vote.Granted {
			s.grants[vote.Term]++
		}
	}
	if !s.add(s, s.line(s.number, "recv", to, answer), count) {
		return nil, errLost
	}
	return answer, nil
}

// accept takes a request, and reports whether the server is still there to do so.
func (s *server) accept(r request) bool {
	select {
	case s.requests <- r:
		return true
	case <-s.quit:
		return false
	}
}

// serve lets the library handle requests, one after the other. A request that has been received waits until the main
// goroutine of the library takes it.
func (s *server) serve() {
	for {
		select {
		case <-s.quit:
			return
		case r := <-s.requests:
			r.answer <- s.handle(r)
		}
	}
}

// handle returns the answer to a request, nil if the server crashes before.
func (s *server) handle(r request) any {
	if !s.add(s, s.line(s.number, "recv", r.from, r.command)) {
		return nil
	}
	var answer any
	vote, isVote := r.command.(*raft.RequestVoteRequest)
	blame := func() {}
	if isVote && s.Bug == GrantsAll {
		answer, blame = &raft.RequestVoteResponse{Term: vote.Term, Granted: true}, s.blame
	} else {
		answers := make(chan raft.RPCResponse, 1)
		select {
		case s.consumer <- raft.RPC{Command: r.command, RespChan: answers}:
		case <-s.quit:
			return nil
		}
		got := <-answers
		if got.Error != nil {
			return nil
		}
		answer = got.Response
	}
	if !s.add(s, s.line(s.number, "send", r.from, answer), blame) {
		return nil
	}
	return answer
}

// RequestVote implements raft.Transport.
func (t *transport) RequestVote(_ raft.ServerID, target raft.ServerAddress, args *raft.RequestVoteRequest,
	resp *raft.RequestVoteResponse) error {
	answer, err := t.call(target, args)
	if err == nil {
		*resp = *answer.(*raft.RequestVoteResponse)
		if t.Bug == TurnsNo && resp.Term == args.Term {
			resp.Granted = true
		}
	}
	return err
}

// AppendEntries implements raft.Transport.
func (t *transport) AppendEntries(_ raft.ServerID, target raft.ServerAddress, args *raft.AppendEntriesRequest,
	resp *raft.AppendEntriesResponse) error {
	answer, err := t.call(target, args)
	if err == nil {
		*resp = *answer.(*raft.AppendEntriesResponse)
	}
	return err
}

// The rest of raft.Transport.

func (t *transport) Consumer() <-chan raft.RPC     { return t.consumer }
func (t *transport) LocalAddr() raft.ServerAddress { return raft.ServerAddress(strconv.Itoa(t.number)) }
func (t *transport) AppendEntriesPipeline(raft.ServerID, raft.ServerAddress) (raft.AppendPipeline, error) {
	return nil, raft.ErrPipelineReplicationNotSupported
}
func (t *transport) InstallSnapshot(raft.ServerID, raft.ServerAddress, *raft.InstallSnapshotRequest,
	*raft.InstallSnapshotResponse, io.Reader) error {
	return errors.ErrUnsupported
}
func (t *transport) EncodePeer(_ raft.ServerID, a raft.ServerAddress) []byte { return []byte(a) }
func (t *transport) DecodePeer(peer []byte) raft.ServerAddress               { return raft.ServerAddress(peer) }
func (t *transport) SetHeartbeatHandler(func(raft.RPC))                      {}
func (t *transport) TimeoutNow(raft.ServerID, raft.ServerAddress, *raft.TimeoutNowRequest,
	*raft.TimeoutNowResponse) error {
	return errors.ErrUnsupported
}
