package main

import (
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"

	"go.etcd.io/raft/v3"
	"go.etcd.io/raft/v3/raftpb"
)

// A Line is a line of the log, or of a test: an event of package conform.
type Line struct {
	Process *int   `json:"p,omitempty"`
	Do      string `json:"do,omitempty"`
	To      *int   `json:"to,omitempty"`
	From    *int   `json:"from,omitempty"`
	Message string `json:"message,omitempty"`
	Name    string `json:"name,omitempty"`
	Args    []any  `json:"args,omitempty"`
	Before  *State `json:"before,omitempty"`
	After   *State `json:"after,omitempty"`

	Run  int             `json:"run,omitzero"`   // the number of the test that the line begins
	Role string          `json:"role,omitempty"` // in a test: input or output
	Vars json.RawMessage `json:"vars,omitempty"` // in a test: the state of the server after the line before
}

// A State is the part of a server's state that the spec has, too.
type State struct {
	Vars Vars `json:"vars"`
}

// Vars are the values of variables of the spec.
type Vars struct {
	Term    uint64   `json:"term"`
	Voted   uint64   `json:"voted"`
	Lead    uint64   `json:"lead"`
	Commit  uint64   `json:"commit"`
	Role    string   `json:"role"`
	Entries []uint64 `json:"entries"`
}

func (l Line) String() string {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // it has only numbers and texts
	}
	return string(text)
}

// A server is a server of the library with its storage. Server p of the spec is number p + 1 in the library.
type server struct {
	Options
	number int
	node   *raft.RawNode
	disk   *disk
	log    func(Line)
	blame  func()          // says that the next line has the first effect of the bug
	votes  map[uint64]bool // of the current election, for the bugs
	match  map[uint64]uint64
}

// A disk is a storage that knows the servers from the start.
type disk struct {
	*raft.MemoryStorage
	voters  []uint64
	corrupt func(*raftpb.HardState) // if not nil, changes what is read at a restart
}

func (d *disk) InitialState() (*raftpb.HardState, *raftpb.ConfState, error) {
	hard, _, err := d.MemoryStorage.InitialState()
	if hard == nil {
		hard = &raftpb.HardState{}
	}
	state := &raftpb.HardState{Term: new(hard.GetTerm()), Vote: new(hard.GetVote()), Commit: new(hard.GetCommit())}
	if d.corrupt != nil {
		d.corrupt(state)
	}
	return state, &raftpb.ConfState{Voters: d.voters}, err
}

func newServer(o Options, number int, log func(Line), blame func()) (*server, error) {
	s := &server{Options: o, number: number, log: log, blame: blame}
	s.disk = &disk{MemoryStorage: raft.NewMemoryStorage()}
	for id := range o.Servers {
		s.disk.voters = append(s.disk.voters, uint64(id+1))
	}
	return s, s.start()
}

// start begins with what is stored.
func (s *server) start() (err error) {
	s.node, err = raft.NewRawNode(&raft.Config{
		ID: uint64(s.number + 1), ElectionTick: 10, HeartbeatTick: 1, Storage: s.disk,
		MaxSizePerMsg: 0, MaxCommittedSizePerReady: math.MaxUint64, MaxInflightMsgs: 256,
		DisableProposalForwarding: true,
		Logger:                    &raft.DefaultLogger{Logger: log.New(io.Discard, "", 0)},
	})
	s.votes, s.match = map[uint64]bool{}, map[uint64]uint64{}
	return err
}

// state returns the state of the server as the spec has it.
func (s *server) state() *State {
	status := s.node.BasicStatus()
	v := Vars{Term: status.GetTerm(), Voted: status.GetVote(), Lead: status.Lead, Commit: status.GetCommit(),
		Role: map[raft.StateType]string{raft.StateFollower: "follower", raft.StateCandidate: "candidate",
			raft.StateLeader: "leader"}[status.RaftState],
		Entries: make([]uint64, s.Entries)}
	for i, e := range s.entries() {
		v.Entries[i] = e.GetTerm()
	}
	return &State{v}
}

// entries returns the entries in the storage.
func (s *server) entries() []*raftpb.Entry {
	last, err := s.disk.LastIndex()
	if err != nil || last == 0 {
		return nil
	}
	all, err := s.disk.Entries(1, last+1, math.MaxUint64)
	if err != nil {
		panic(err) // it is in memory
	}
	return all
}

// handle does something, stores and sends what follows from it, and logs it as an event or a receipt. If it crashes
// before it sends, the messages are lost. It returns the messages.
func (s *server) handle(line Line, crashes bool, do func() error) ([]*raftpb.Message, error) {
	line.Process, line.Before = &s.number, s.state()
	if err := do(); err != nil {
		return nil, err
	}
	var sent []*raftpb.Message
	for s.node.HasReady() {
		ready := s.node.Ready()
		if err := s.disk.Append(ready.Entries); err != nil {
			return nil, err
		}
		if !raft.IsEmptyHardState(ready.HardState) {
			if err := s.disk.SetHardState(ready.HardState); err != nil {
				return nil, err
			}
		}
		sent = append(sent, ready.Messages...)
		s.node.Advance(ready)
	}
	line.After = s.state()
	if line.Do != "" {
		s.log(line)
	}
	if crashes {
		return nil, nil
	}
	for _, m := range sent {
		s.changeSent(m)
		s.log(s.messageLine("send", m))
	}
	return sent, nil
}

// messageLine returns the line about the sending or the receipt of a message.
func (s *server) messageLine(do string, m *raftpb.Message) Line {
	line := Line{Process: &s.number, Do: do}
	to, from := int(m.GetTo()-1), int(m.GetFrom()-1)
	if do == "send" {
		line.To = &to
	} else {
		line.From = &from
	}
	switch term := m.GetTerm(); m.GetType() {
	case raftpb.MsgVote:
		line.Message, line.Args = "RequestVote", []any{term, m.GetIndex(), m.GetLogTerm()}
	case raftpb.MsgVoteResp:
		line.Message, line.Args = "Vote", []any{term, !m.GetReject()}
	case raftpb.MsgApp:
		entry := uint64(0) // none
		for _, e := range m.GetEntries() {
			entry = e.GetTerm()
		}
		line.Message, line.Args = "Append", []any{term, m.GetIndex(), m.GetLogTerm(), entry, m.GetCommit()}
	case raftpb.MsgAppResp:
		line.Message, line.Args = "Stored", []any{term, m.GetIndex(), m.GetReject()}
	case raftpb.MsgHeartbeat:
		line.Message, line.Args = "Heartbeat", []any{term, m.GetCommit()}
	case raftpb.MsgHeartbeatResp:
		line.Message, line.Args = "Beat", []any{term}
	default:
		panic(fmt.Sprint("unexpected message ", m.GetType()))
	}
	return line
}

// receive handles a message.
func (s *server) receive(m *raftpb.Message, crashes bool) ([]*raftpb.Message, error) {
	return s.handle(s.messageLine("recv", m), crashes, func() error { return s.step(m) })
}

// campaign begins an election.
func (s *server) campaign(crashes bool) ([]*raftpb.Message, error) {
	s.votes = map[uint64]bool{}
	return s.handle(Line{Do: "event", Name: "campaign"}, crashes, s.node.Campaign)
}

// propose appends an entry as the leader.
func (s *server) propose(crashes bool) ([]*raftpb.Message, error) {
	return s.handle(Line{Do: "event", Name: "propose"}, crashes, func() error { return s.node.Propose([]byte("x")) })
}

// beat lets time pass for a leader, which then sends heartbeats.
func (s *server) beat() ([]*raftpb.Message, error) {
	return s.handle(Line{}, false, func() error { s.node.Tick(); return nil })
}

// recover restarts after a crash.
func (s *server) recover() error {
	s.log(Line{Process: &s.number, Do: "recover"})
	s.forget()
	err := s.start()
	s.disk.corrupt = nil
	s.log(Line{Process: &s.number, Do: "event", Name: "restart", After: s.state()})
	return err
}

// leads reports whether the server is a leader.
func (s *server) leads() bool { return s.node.BasicStatus().RaftState == raft.StateLeader }

// isBehind reports whether the log of a candidate is older than that of the server.
func (s *server) isBehind(m *raftpb.Message) bool {
	last, term := s.entries(), uint64(0)
	if len(last) > 0 {
		term = last[len(last)-1].GetTerm()
	}
	return m.GetLogTerm() < term || m.GetLogTerm() == term && m.GetIndex() < uint64(len(last))
}

// hasRoom reports whether the server may append an entry: each later election may append one, too.
func (s *server) hasRoom() bool {
	return s.last()+s.Terms-int(s.node.BasicStatus().GetTerm()) < s.Entries
}

// last returns the index of its last entry.
func (s *server) last() int { return len(s.entries()) }
