package confluence

import (
	"errors"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"ringcheck/internal/intern"
	"ringcheck/model"
	"ringcheck/model/language/channel"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
)

// A transition is the behaviour of any process in a local state under a trigger.
type transition struct {
	local   model.Value
	trigger trigger
}

// An analysis decides which transitions of a behaviour are confluent. It computes verdicts on demand and caches them.
// It is safe for concurrent use.
//
// The confluent transitions are the greatest set in which each is certain, invisible and the only one of its process
// under its trigger, and commutes with all transitions of the process under other triggers at the same time, where the
// closing edge of each diamond is in the set again. Transitions of other processes commute with it anyway: they share
// only a channel, as its other end, and a message can be sent before or after another one is received. If sending may
// disable receiving (channel.Discipline.SendDisables), only transitions that access no channel are confluent.
type analysis struct {
	sys        *compile.System
	behaviour  behaviour
	sources    []int64 // possible sources of a message
	channel    channel.Discipline
	noConflict bool                                             // see Options
	equal      bool                                             // see Options
	observes   func(before, after model.Value, moved bool) bool // nil if properties observe nothing

	mu       sync.RWMutex
	verdicts map[transition]bool
	universe *universe
	heads    intern.Array[atomic.Uint32] // by local state: its head plus one
	uniforms map[model.Value]uniform

	limited atomic.Bool // whether a verdict depends on more than maxDependencies transitions
}

func newAnalysis(sys *compile.System, b behaviour, opt Options) *analysis {
	return &analysis{
		sys:        sys,
		behaviour:  b,
		sources:    sources(sys.Protocol()),
		channel:    sys.Protocol().Channel,
		noConflict: opt.NoConflict,
		equal:      opt.Equal,
		observes:   opt.Observes,
		verdicts:   make(map[transition]bool),
		universe:   newUniverse(sys),
		uniforms:   make(map[model.Value]uniform),
	}
}

// sources returns the possible sources of a message.
func sources(p *ir.Protocol) []int64 {
	var all []int64
	for _, l := range p.Links {
		all = append(all, l.In)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// confluent reports whether t is confluent.
func (a *analysis) confluent(t transition) bool {
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

// head returns the representative of the local states in which a process behaves as in l, l itself if properties can
// distinguish these.
func (a *analysis) head(l model.Value) model.Value {
	if a.observes != nil {
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

// maxDependencies is the number of transitions that a verdict may depend on; with more, t counts as not confluent.
var maxDependencies = 1 << 16

// ErrUnequal is the cause of a model error under Options.Equal.
var ErrUnequal = errors.New("whether an action is confluent depends on too many actions, which are not all examined, " +
	"so that it may count as confluent in a state and not in a symmetric one: leave the symmetry or the reduction out")

// checkEqual returns a model error under Options.Equal if some verdicts may not be those of symmetric transitions.
func (a *analysis) checkEqual() error {
	if !a.equal || !a.limited.Load() {
		return nil
	}
	return &model.Error{Process: -1, Cause: ErrUnequal, Message: ErrUnequal.Error()}
}

// solve decides t and all transitions that it depends on. It first checks each transition on its own, and then
// propagates each failure to the transitions that depend on it.
func (a *analysis) solve(t transition) {
	if _, known := a.verdicts[t]; known {
		return
	}
	users := make(map[transition][]transition)
	found := map[transition]bool{t: true}
	var failed []transition
	for todo := []transition{t}; len(todo) > 0; {
		u := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		needs, confluent := a.diamonds(u)
		if !confluent {
			found[u] = false
			failed = append(failed, u)
			continue
		}
		for _, d := range needs {
			users[d] = append(users[d], u)
			if _, seen := found[d]; seen {
				continue
			}
			old, known := a.verdicts[d]
			found[d] = old || !known
			if !known {
				todo = append(todo, d)
			} else if !old {
				failed = append(failed, d)
			}
		}
		if len(found) > maxDependencies {
			a.verdicts[t] = false
			a.limited.Store(true)
			return
		}
	}
	for len(failed) > 0 {
		d := failed[len(failed)-1]
		failed = failed[:len(failed)-1]
		for _, u := range users[d] {
			if found[u] {
				found[u] = false
				failed = append(failed, u)
			}
		}
	}
	maps.Copy(a.verdicts, found)
}

// diamonds checks the diamonds of t with other transitions of its process. It returns the closing edges that must be
// confluent for t to be confluent.
func (a *analysis) diamonds(t transition) (needs []transition, ok bool) {
	o := a.behaviour.offer(t.local, t.trigger)
	step, certain := o.certain()
	if !certain || a.observes != nil && a.observes(t.local, step.next, t.trigger != own || len(step.sends) > 0) {
		return nil, false
	}
	if a.channel.SendDisables() && (t.trigger != own || len(step.sends) > 0) {
		return nil, false
	}
	if u := a.uniform(t.local); u.ok && t.trigger != own {
		if u.next != t.local {
			needs = append(needs, transition{a.head(u.next), t.trigger})
		}
		return needs, true
	}
	c := check{analysis: a, t: t, step: step}
	if t.trigger != own && !c.commutesWith(own) {
		return nil, false
	}
	for _, source := range a.sources {
		if source == t.trigger.source && (a.channel.First || a.noConflict) {
			continue
		}
		messages, ok := a.universe.receivable(a.behaviour, t.local, source)
		if !ok {
			return nil, false
		}
		for m := range messages {
			if s := (trigger{source, m}); s != t.trigger && !c.commutesWith(s) {
				return nil, false
			}
		}
	}
	return c.needs, true
}

// A uniform local state is one in which a process can only receive, and every message leads to the same state, in which
// any other message would have the same effect. So the order of messages does not matter. It is needed only where
// messages can meet, and not for sequences, where the order of sends matters.
type uniform struct {
	ok   bool
	next model.Value
}

func (a *analysis) uniform(l model.Value) uniform {
	l = a.head(l)
	if u, known := a.uniforms[l]; known {
		return u
	}
	a.uniforms[l] = uniform{} // in progress
	u := uniform{}
	if !a.channel.Ordered() && !(a.noConflict && len(a.sources) == 1) {
		u = a.findUniform(l)
	}
	a.uniforms[l] = u
	return u
}

func (a *analysis) findUniform(l model.Value) uniform {
	if o := a.behaviour.offer(l, own); !o.empty() {
		return uniform{}
	}
	var all []trigger
	next, found := l, false
	for _, source := range a.sources {
		messages, ok := a.universe.receivable(a.behaviour, l, source)
		if !ok {
			return uniform{}
		}
		for m := range messages {
			s := trigger{source, m}
			all = append(all, s)
			o := a.behaviour.offer(l, s)
			if o.fails {
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

// sameAt reports whether each message has the same effect in next as in l and leaves the process in next.
func (a *analysis) sameAt(l, next model.Value, all []trigger) bool {
	if u := a.uniform(next); !u.ok || u.next != next {
		return false
	}
	for _, s := range all {
		x, y := a.behaviour.offer(l, s), a.behaviour.offer(next, s)
		if x.fails && y.fails {
			continue
		}
		before, _ := x.certain()
		after, certain := y.certain()
		if x.fails || !certain || after.next != next || !a.sameSends(before.sends, after.sends) {
			return false
		}
	}
	return true
}
