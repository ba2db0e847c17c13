package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
)

// Replay repeats the runs that ringcheck tests has written. It returns the number of runs.
func Replay(o Options, tests io.Reader) (runs int, err error) {
	var r *replay
	for lines := json.NewDecoder(tests); ; {
		var want Line
		if err := lines.Decode(&want); errors.Is(err, io.EOF) {
			if runs == 0 {
				return 0, errors.New("there are no runs")
			}
			return runs, nil
		} else if err != nil {
			return runs, err
		}
		if want.Run != 0 {
			runs, r = want.Run, new(replay)
			if r.cluster, err = newCluster(o, func(l Line) { r.logged = append(r.logged, l) }); err != nil {
				return runs, err
			}
		}
		if r == nil || want.Process == nil || *want.Process < 0 || *want.Process >= o.Servers {
			return runs, fmt.Errorf("%v is not a line of a test of %d servers", want, o.Servers)
		}
		if err := r.compare(want); err != nil {
			return runs, fmt.Errorf("run %d, after %v, expected %v: %w", runs, r.last, want, err)
		}
		r.last = want
	}
}

// A replay is the repetition of a run.
type replay struct {
	*cluster
	logged []Line // what the cluster has done since, and has not been compared
	last   Line   // of the test
}

// compare makes an input happen, or compares an output or the state of a server with those of the cluster.
func (r *replay) compare(want Line) error {
	next := slices.IndexFunc(r.logged, func(l Line) bool { return *l.Process == *want.Process })
	switch {
	case want.Role == "input":
		next = len(r.logged)
		if err := r.give(want); err != nil {
			return err
		}
		fallthrough
	case want.Role == "output":
		if next < 0 || r.logged[next].action() != want.action() {
			return fmt.Errorf("the servers have logged %v", r.logged)
		}
		r.logged = slices.Delete(r.logged, next, next+1)
	case r.last.Do != "recover": // the state before the restart does not matter
		state := r.servers[*want.Process].state().Vars
		expected := state
		expected.Entries = nil
		if err := json.Unmarshal(want.Vars, &expected); err != nil || !reflect.DeepEqual(expected, state) {
			return cmp.Or(err, fmt.Errorf("the state is %+v", state))
		}
	}
	return nil
}

// give makes an input of a test happen.
func (c *cluster) give(input Line) error {
	s := c.servers[*input.Process]
	switch input.Do {
	case "crash":
		c.crash(s.number)
		return nil
	case "recover":
		c.crashed[s.number] = false
		return s.recover()
	case "event":
		sent, err := s.campaign(false)
		return c.finish(s.number, sent, false, err)
	}
	for i, m := range c.inFlight { // received, lost or duplicated
		if int(m.GetTo()-1) == s.number && s.messageLine(input.Do, m).action() == input.action() {
			return c.handle(input.Do, i, false)
		}
	}
	return errors.New("it was not sent")
}

// action returns a line without what stands around its action.
func (l Line) action() string {
	l.Before, l.After, l.Run, l.Role = nil, nil, 0, ""
	return l.String()
}
