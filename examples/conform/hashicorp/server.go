package main

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
)

// The names of events.
const (
	newTerm = "newTerm" // the server has saved a term
	newVote = "newVote" // it has saved a vote
)

// A server is a server of the library from a start to a crash.
type server struct {
	*cluster
	number    int
	raft      *raft.Raft
	requests  chan request  // of other servers
	consumer  chan raft.RPC // what the library receives
	quit      chan struct{} // closed when the server crashes or the cluster ends
	observing chan struct{} // closed when the observer is there
	crashed   bool
	grants    map[uint64]int // by term: the votes that it has received, for the bugs
}

func (s *server) config() *raft.Config {
	config := raft.DefaultConfig()
	config.LocalID = raft.ServerID(strconv.Itoa(s.number))
	config.HeartbeatTimeout, config.ElectionTimeout = 30*time.Millisecond, 30*time.Millisecond
	config.LeaderLeaseTimeout, config.CommitTimeout = 30*time.Millisecond, 10*time.Millisecond
	config.Logger = hclog.New(&hclog.LoggerOptions{Output: s, Level: hclog.Info})
	return config
}

// start starts a server from its store.
func (c *cluster) start(p int) (err error) {
	s := &server{cluster: c, number: p, requests: make(chan request), consumer: make(chan raft.RPC),
		quit: make(chan struct{}), observing: make(chan struct{}), grants: map[uint64]int{}}
	stable := &stable{InmemStore: c.stores[p], server: s}
	s.raft, err = raft.NewRaft(s.config(), fsm{}, c.stores[p], stable, raft.NewDiscardSnapshotStore(), &transport{s})
	if err != nil {
		return err
	}
	s.raft.RegisterObserver(raft.NewObserver(nil, false, s.observe))
	close(s.observing)
	go s.serve()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.servers[p] = s
	return nil
}

// Write implements io.Writer for the messages of the library. The first message of its main goroutine has to wait for
// the observer.
func (s *server) Write(message []byte) (int, error) {
	if s.observing != nil && bytes.Contains(message, []byte("entering follower state")) {
		<-s.observing
	}
	return len(message), nil
}

// observe adds a line for a change of the role, which it sees at once.
func (s *server) observe(o *raft.Observation) bool {
	if state, ok := o.Data.(raft.RaftState); ok && state != raft.Shutdown {
		s.event(strings.ToLower(state.String()), func() {
			term, err := s.stores[s.number].GetUint64([]byte(keyTerm))
			if state == raft.Leader && err == nil && 2*(1+s.grants[term]) <= s.Servers {
				s.blame()
			}
		})
	}
	return false
}

// event adds a line for an event, and does what goes with it.
func (s *server) event(name string, with func(), args ...any) {
	s.add(s, Line{Process: s.number, Do: "event", Name: name, Args: args}, with)
}

// stable is the store for the term and the vote.
type stable struct {
	*raft.InmemStore
	server *server
	voted  uint64 // the term of the vote before the one that is being saved
	forgot bool   // the term that is saved next is an earlier one
}

// The keys of the library.
const keyTerm, keyVoteTerm, keyVote = "CurrentTerm", "LastVoteTerm", "LastVoteCand"

// GetUint64 implements raft.StableStore.
func (s *stable) GetUint64(key []byte) (uint64, error) {
	value, err := s.InmemStore.GetUint64(key)
	switch {
	case s.server.Bug == ForgetsVote && string(key) == keyVoteTerm:
		return 0, errors.New("not found")
	case s.server.Bug == ForgetsTerm && string(key) == keyTerm && value > 1:
		value--
		s.forgot = true
	}
	return value, err
}

// SetUint64 implements raft.StableStore.
func (s *stable) SetUint64(key []byte, value uint64) error {
	var err error
	save := func() { err = s.InmemStore.SetUint64(key, value) }
	if string(key) == keyTerm {
		s.server.event(newTerm, func() {
			if s.forgot {
				s.server.blame()
				s.forgot = false
			}
			save()
		}, value)
		return err
	}
	if string(key) == keyVoteTerm {
		s.voted, _ = s.InmemStore.GetUint64(key) // 0 if there was none
	}
	save()
	return err
}

// Set implements raft.StableStore.
func (s *stable) Set(key, value []byte) error {
	if string(key) != keyVote {
		return s.InmemStore.Set(key, value)
	}
	candidate, err := strconv.Atoi(string(value))
	if err != nil {
		return err
	}
	term, err := s.InmemStore.GetUint64([]byte(keyVoteTerm))
	if err != nil {
		return err
	}
	s.server.event(newVote, func() {
		if old, _ := s.InmemStore.Get(key); s.voted == term && !bytes.Equal(old, value) {
			s.server.blame()
		}
		err = s.InmemStore.Set(key, value)
	}, term, candidate)
	return err
}

// fsm is a state machine that does nothing.
type fsm struct{}

func (fsm) Apply(*raft.Log) any                 { return nil }
func (fsm) Snapshot() (raft.FSMSnapshot, error) { return nil, errors.ErrUnsupported }
func (fsm) Restore(io.ReadCloser) error         { return nil }
