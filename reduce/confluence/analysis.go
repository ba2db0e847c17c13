package confluence

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A transition is what a process in a local state does under a stimulus, wherever it occurs.
type transition struct {
	local    model.Value
	stimulus stimulus
}

// A verdict says whether a transition is confluent, and why.
type verdict struct {
	confluent bool
	reason    string
}

// An analysis decides which transitions of a behaviour are confluent. Verdicts are worked out when they are
// asked for, and remembered. It is safe for concurrent use.
//
// The confluent transitions are the greatest set of which each is the only, certain and invisible thing that
// its process can do under its stimulus, and commutes with everything that the process can do under another
// one at the same time; the closing edge of each such diamond must be in the set again. What other processes
// do commutes with it anyway: they share no more with it than a channel at whose two ends they are, and a
// message can be sent before or after another one is received.
type analysis struct {
	sys       *compile.System
	behaviour behaviour
	sources   []int64 // that a message can come from
	fifo      bool
	assume    *Assumption                                      // nil: nothing
	seen      func(before, after model.Value, moved bool) bool // nil: nothing is

	mu       sync.RWMutex
	verdicts map[transition]verdict
	universe *universe
	heads    intern.Array[atomic.Uint32] // by local state: one more than its head
	uniforms map[model.Value]uniform
}

func newAnalysis(sys *compile.System, b behaviour, opt Options) *analysis {
	return &analysis{
		sys:       sys,
		behaviour: b,
		sources:   sources(sys.Protocol()),
		fifo:      sys.Protocol().Channel == ir.FIFO,
		assume:    opt.Assume,
		seen:      opt.Seen,
		verdicts:  make(map[transition]verdict),
		universe:  newUniverse(sys),
		uniforms:  make(map[model.Value]uniform),
	}
}

// sources returns the sources that a message can come from.
func sources(p *ir.Protocol) []int64 {
	var all []int64
	for _, l := range p.Links {
		all = append(all, l.In)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// verdict decides about t.
func (a *analysis) verdict(t transition) verdict {
	t.local = a.head(t.local)
	a.mu.RLock()
	v, ok := a.verdicts[t]
	a.mu.RUnlock()
	if ok {
		return v
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.solve(t)
	return a.verdicts[t]
}

// head returns the local state that stands for all in which a process does the same as in l. An invariant can tell
// these apart, and so can who sees them.
func (a *analysis) head(l model.Value) model.Value {
	if a.assume.particular() || a.seen != nil {
		return l
	}
	known := a.heads.At(l)
	if h := known.Load(); h != 0 {
		return h - 1
	}
	h := a.sys.Head(l)
	known.Store(h + 1)
	return h
}

// most is how many transitions a verdict may depend on.
const most = 1 << 16

// solve decides about t and all that it depends on: first each for itself, then what depends on a transition
// that is not confluent is not either.
func (a *analysis) solve(t transition) {
	if _, known := a.verdicts[t]; known {
		return
	}
	users := make(map[transition][]transition)
	found := map[transition]verdict{t: {}}
	var failed []transition
	for todo := []transition{t}; len(todo) > 0; {
		u := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		needs, v := a.diamonds(u)
		found[u] = v
		if !v.confluent {
			failed = append(failed, u)
			continue
		}
		for _, d := range needs {
			users[d] = append(users[d], u)
			if _, seen := found[d]; seen {
				continue
			}
			if old, known := a.verdicts[d]; known {
				found[d] = old
				if !old.confluent {
					failed = append(failed, d)
				}
				continue
			}
			found[d] = verdict{}
			todo = append(todo, d)
		}
		if len(found) > most {
			a.verdicts[t] = verdict{reason: fmt.Sprintf("not decided: it depends on more than %d others", most)}
			return
		}
	}
	a.spread(found, users, failed)
	for u, v := range found {
		a.verdicts[u] = v
	}
}

// spread makes what depends on failed transitions fail.
func (a *analysis) spread(found map[transition]verdict, users map[transition][]transition, failed []transition) {
	for len(failed) > 0 {
		d := failed[len(failed)-1]
		failed = failed[:len(failed)-1]
		for _, u := range users[d] {
			if found[u].confluent {
				found[u] = verdict{reason: fmt.Sprintf("then %s, which is not confluent", a.format(d))}
				failed = append(failed, u)
			}
		}
	}
}

// diamonds checks the diamonds of t in which its process takes part. It returns the closing edges that must be
// confluent for t to be.
func (a *analysis) diamonds(t transition) ([]transition, verdict) {
	o := a.behaviour.offer(t.local, t.stimulus)
	step, certain := o.certain()
	if !certain {
		return nil, verdict{reason: uncertain(&o)}
	}
	if a.seen != nil && a.seen(t.local, step.next, t.stimulus != own || len(step.sends) > 0) {
		return nil, verdict{reason: "a property can see it"}
	}
	if u := a.uniform(t.local); u.ok && t.stimulus != own {
		needs := []transition{}
		if u.next != t.local {
			needs = append(needs, transition{a.head(u.next), t.stimulus})
		}
		why := "whatever it receives first, it is in " + a.formatLocal(u.next) + " and does the same with the rest"
		return needs, verdict{true, why}
	}
	c := check{analysis: a, t: t, step: step}
	if t.stimulus != own && !c.against(own) {
		return nil, verdict{reason: c.reason}
	}
	for _, source := range a.sources {
		same := t.stimulus != own && source == t.stimulus.source
		if same && (a.fifo || a.assume.Blanket()) {
			continue
		}
		messages, ok := a.universe.receivable(a.behaviour, t.local, source)
		if !ok {
			const why = "not decided: it could receive more than %d messages from one side"
			return nil, verdict{reason: fmt.Sprintf(why, widest)}
		}
		for m := range messages {
			s := stimulus{source, m}
			if s == t.stimulus || same && a.assume.keepsApart(a, t, m) {
				continue
			}
			if !c.against(s) {
				return nil, verdict{reason: c.reason}
			}
		}
	}
	return c.needs, verdict{true, a.because(&c)}
}

func uncertain(o *offer) string {
	switch {
	case o.faulty:
		return "it leads to a fault"
	case len(o.choices) == 0:
		return "it is not possible"
	case len(o.choices) > 1:
		return "there is a choice"
	case len(o.choices[0]) > 1:
		return "a draw decides"
	}
	return "it is visible"
}

// because says why the transition of c is confluent.
func (a *analysis) because(c *check) string {
	switch {
	case c.diamonds > 0:
		return "it commutes with whatever else the process can do there"
	case c.t.stimulus == own:
		return "the process can do nothing else there, and nobody can hinder it"
	case a.fifo:
		return "it takes the head of the queue, and the process can do nothing else there"
	case a.assume != nil:
		return "the process can do nothing else there, by the assumption"
	}
	return "the process can do nothing else there"
}

// A uniform local state is one where all that a process can do is receive, and every message leads to the same
// state, where the process would do the same with any other. So the order of messages does not matter. It is
// only asked where messages can meet, and not of queues, to which the order in which others are sent to matters.
type uniform struct {
	ok   bool
	next model.Value
}

func (a *analysis) uniform(l model.Value) uniform {
	l = a.head(l)
	if u, known := a.uniforms[l]; known {
		return u
	}
	a.uniforms[l] = uniform{} // on the way
	u := uniform{}
	if !a.fifo && !(a.assume.Blanket() && len(a.sources) == 1) {
		u = a.findUniform(l)
	}
	a.uniforms[l] = u
	return u
}

func (a *analysis) findUniform(l model.Value) uniform {
	if o := a.behaviour.offer(l, own); !o.empty() {
		return uniform{}
	}
	var all []stimulus
	next, found := l, false
	for _, source := range a.sources {
		messages, ok := a.universe.receivable(a.behaviour, l, source)
		if !ok {
			return uniform{}
		}
		for m := range messages {
			s := stimulus{source, m}
			all = append(all, s)
			o := a.behaviour.offer(l, s)
			if o.faulty {
				continue
			}
			step, certain := o.certain()
			if !certain || found && step.next != next {
				return uniform{}
			}
			next, found = step.next, true
		}
	}
	if !found || next != l && !a.sameAt(l, next, all) {
		return uniform{}
	}
	return uniform{true, next}
}

// sameAt reports whether a process does the same with each of some messages in next as in l, and stays there.
func (a *analysis) sameAt(l, next model.Value, all []stimulus) bool {
	if u := a.uniform(next); !u.ok || u.next != next {
		return false
	}
	for _, s := range all {
		x, y := a.behaviour.offer(l, s), a.behaviour.offer(next, s)
		if x.faulty && y.faulty {
			continue
		}
		before, _ := x.certain()
		after, certain := y.certain()
		if x.faulty || !certain || after.next != next || !a.sameSends(before.sends, after.sends) {
			return false
		}
	}
	return true
}
