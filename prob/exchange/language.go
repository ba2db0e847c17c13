package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/prob"
)

// Language is how the names of files end that hold a model in PRISM's own language. They are written, not read.
const Language = ".prism"

// ErrLanguage says that a protocol has something for which there is no place in a module of PRISM's language.
var ErrLanguage = errors.New("this cannot be said in PRISM's language, a module for each process")

// WriteLanguage writes a protocol as a model in PRISM's language (version 4.8, type mdp): a module for each process,
// which has the local state of the process and the channels that it sends to. A receive is an action of receiver and
// sender together, all else a command of one module. Ranges are what an exploration has met, so this is for small
// settings.
//
// The protocol's goal becomes a label of the given name: a disjunction of events. The goal terminal is PRISM's own
// label "deadlock". The error wraps ErrLanguage, or is that of the context or the search.
func WriteLanguage(ctx context.Context, w io.Writer, p *prob.Protocol, label string, opt explore.Options) error {
	if err := p.System.Uncoupled(); err != nil {
		return fmt.Errorf("%w: %w", ErrLanguage, err)
	}
	s := survey{sys: p.System, ir: p.System.Protocol()}
	l := &language{survey: s, rewards: p.Rewards, label: newNames().unique(label)}
	if err := l.collect(p.Goals[0]); err != nil {
		return err
	}
	if err := l.explore(ctx, opt); err != nil {
		return err
	}
	if err := l.write(); err != nil {
		return err
	}
	_, err := io.WriteString(w, l.b.String())
	return err
}

// A language writes one model.
type language struct {
	survey
	rewards []*ir.Reward
	label   string
	events  []*ir.Event // that are the goal
	modules []module    // by process
	actions []action    // in the order in which they were met
	b       strings.Builder
}

// An action is one of the model's, and what it earns by each reward.
type action struct {
	owner      int // the process, or, behind the processes, the link
	base, name string
	earned     []*big.Rat
}

// A module is what is written of one process.
type module struct {
	commands []string
	goal     bool // it has a command with an event of the goal
}

// collect finds the events of the goal.
func (l *language) collect(f *ir.Formula) error {
	switch f.Op {
	case ir.EventAtom:
		l.events = append(l.events, f.Event)
		return nil
	case ir.TerminalAtom:
		return nil
	case ir.Disjunction:
		return errors.Join(l.collect(f.X), l.collect(f.Y))
	}
	return fmt.Errorf("%w: the goal has to be an event, terminal, or several of these as alternatives", ErrLanguage)
}

func (l *language) line(format string, args ...any) { fmt.Fprintf(&l.b, format+"\n", args...) }

func (l *language) write() error {
	l.modules = make([]module, l.ir.N)
	for p := range l.modules {
		if err := l.own(p); err != nil {
			return err
		}
	}
	for i := range l.links {
		if err := l.receive(i); err != nil {
			return err
		}
	}
	l.head()
	for p := range l.modules {
		l.module(p)
	}
	l.foot()
	return nil
}

// own writes the commands of what a process does on its own.
func (l *language) own(p int) error {
	for _, v := range l.at[p] {
		outcomes, err := l.sys.OwnOutcomes(v)
		if err != nil {
			return err
		}
		for len(outcomes) > 0 {
			n := 1
			for n < len(outcomes) && outcomes[n].Choice == outcomes[0].Choice {
				n++
			}
			if err := l.choice(p, v, outcomes[:n]); err != nil {
				return err
			}
			outcomes = outcomes[n:]
		}
	}
	return nil
}

// choice writes the command for the outcomes of a choice.
func (l *language) choice(p int, v model.Value, outcomes []compile.Outcome) error {
	base := ""
	earned := make([]*big.Rat, len(l.rewards))
	for i := range earned {
		earned[i] = new(big.Rat)
	}
	var updates []string
	guard := fmt.Sprintf("s_%d=%s", p, l.points.name(v))
	for i := range outcomes {
		m := &outcomes[i]
		name := l.kind(p, m)
		if i > 0 && name != base {
			name = "step"
		}
		base = name
		weight := big.NewRat(int64(m.Weight.Num), int64(m.Weight.Den))
		gain, err := l.earns(p, m)
		if err != nil {
			return err
		}
		for j := range earned {
			earned[j].Add(earned[j], gain[j].Mul(gain[j], weight))
		}
		update := l.update(p, m)
		if len(outcomes) > 1 {
			update = weight.RatString() + ": " + update
		}
		updates = append(updates, update)
		if m.Target != compile.NoTarget {
			if room := l.links[l.ir.OutLink(p, m.Target)].room(m.Message); !strings.Contains(guard+" ", room+" ") {
				guard += room
			}
		}
	}
	l.command(p, l.action(p, fmt.Sprintf("%s_%d", base, p), earned), guard, strings.Join(updates, " + "))
	return nil
}

// kind says how the actions of moves like m are called.
func (l *language) kind(p int, m *compile.Outcome) string {
	if event, _ := l.sys.Happened(l.sys.ActionLabel(m.Action, p)); event != nil {
		return event.Name
	}
	if m.Target != compile.NoTarget {
		return "send"
	}
	return "step"
}

// update returns what changes by a move.
func (l *language) update(p int, m *compile.Outcome) string {
	update := fmt.Sprintf("(s_%d'=%s)", p, l.points.name(m.Next))
	if m.Target != compile.NoTarget {
		update += l.links[l.ir.OutLink(p, m.Target)].put(m.Message)
	}
	if event, _ := l.sys.Happened(l.sys.ActionLabel(m.Action, p)); event != nil && slices.Contains(l.events, event) {
		l.modules[p].goal = true
		update += fmt.Sprintf(" & (%s_%d'=true)", reached, p)
	}
	return update
}

// reached begins the name of the variable that says that a process has reached the goal by an event.
const reached = "reached"

// action returns the name of an action that earns so much: the given one, with a number if another action has that
// name. Actions of different owners never have the same: they would have to happen together.
func (l *language) action(owner int, base string, earned []*big.Rat) string {
	i := slices.IndexFunc(l.actions, func(a action) bool {
		equal := func(x, y *big.Rat) bool { return x.Cmp(y) == 0 }
		return a.owner == owner && a.base == base && slices.EqualFunc(a.earned, earned, equal)
	})
	if i < 0 {
		name := base
		for n := 2; slices.ContainsFunc(l.actions, func(a action) bool { return a.name == name }); n++ {
			name = fmt.Sprintf("%s_%d", base, n)
		}
		i = len(l.actions)
		l.actions = append(l.actions, action{owner, base, name, earned})
	}
	return l.actions[i].name
}

func (l *language) command(p int, action, guard, update string) {
	l.modules[p].commands = append(l.modules[p].commands, fmt.Sprintf("[%s] %s -> %s;", action, guard, update))
}

// receive writes the commands of receiving from a channel: those of the receiver, and one of the sender for each
// message.
func (l *language) receive(link int) error {
	c, ends := l.links[link], l.ir.Links[link]
	for _, m := range c.messages {
		action := fmt.Sprintf("receive%s_%s", strings.TrimPrefix(c.name, "c"), l.words.name(m))
		any := false
		for _, v := range l.at[ends.To] {
			outcomes, err := l.sys.ReceiveOutcomes(v, ends.In, m)
			if err != nil {
				continue // it never comes to that: the exploration would have ended there
			}
			for i := range outcomes {
				if !l.points.has(outcomes[i].Next) {
					continue // nor to that
				}
				if !any {
					any = true
					earned, err := l.earns(ends.To, &outcomes[i])
					if err != nil {
						return err
					}
					action = l.action(l.ir.N+link, action, earned)
				}
				guard := fmt.Sprintf("s_%d=%s", ends.To, l.points.name(v))
				update := fmt.Sprintf("(s_%d'=%s)", ends.To, l.points.name(outcomes[i].Next))
				if ends.From == ends.To {
					guard, update = guard+" & "+c.has(m), update+" & "+c.take(m)
				}
				l.command(ends.To, action, guard, update)
			}
		}
		if any && ends.From != ends.To {
			l.command(ends.From, action, c.has(m), c.take(m))
		}
	}
	return nil
}

// earns returns what a move earns, by reward. All receives earn the same.
func (l *language) earns(p int, m *compile.Outcome) ([]*big.Rat, error) {
	var earned []*big.Rat
	for _, r := range l.rewards {
		value, err := l.sys.Reward(r, l.sys.ActionLabel(m.Action, p))
		if err != nil {
			return nil, err
		}
		earned = append(earned, r.Earned(value))
	}
	return earned, nil
}

// head writes what comes before the modules.
func (l *language) head() {
	l.line("// %s", l.title())
	l.line("//")
	l.line("// A module for each process. s_P is the local state of process P: a control point and its live variables, " +
		"by a number that has a name below.")
	if l.ir.Channel == ir.FIFO {
		l.line("// c_P_…_I is place I of the channel from process P to the one that its name ends with: 0, or a message, " +
			"by a number that has a name below.")
		l.line("// The message at place 0 is the one that can be received.")
	} else {
		l.line("// c_P_…_M counts the messages M in the channel from process P to the one before M.")
	}
	l.line("// A command is what a process can do; receiving is an action of the receiver and of the channel, " +
		"which is the sender's.")
	if len(l.events) > 0 {
		l.line("// %s_P is true once process P has done what is the goal, and the label %q says that one has.",
			reached, l.label)
	}
	l.line("// Where nobody can act, which PRISM calls a deadlock, the protocol has come to its end.")
	l.line("\nmdp\n")
	l.line("// local states")
	for i, v := range l.points.values {
		l.line("const int %s = %d; // %s", l.points.list[i], i, l.sys.FormatSlot(l.sys.SlotOfProcess(0), v))
	}
	if l.ir.Channel == ir.FIFO && len(l.words.values) > 0 {
		l.line("\n// messages")
		for i, m := range l.words.values {
			l.line("const int %s = %d; // %s", l.words.list[i], i+1, l.sys.Message(m))
		}
	}
}

// title says what the model is of.
func (l *language) title() string {
	text := l.ir.Name
	for _, list := range [][]ir.Setting{l.ir.Params, l.ir.Options} {
		for _, s := range list {
			text += fmt.Sprintf(", %s = %s", s.Name, s.Type.Format(s.Value))
		}
	}
	return text
}

func (l *language) module(p int) {
	l.line("\nmodule process_%d", p)
	begin := func(v int) string {
		if len(l.initial) > 1 {
			return ""
		}
		return fmt.Sprintf(" init %d", v)
	}
	l.line("  s_%d : [0..%d]%s;", p, max(1, len(l.points.values)-1), begin(l.points.number[l.initial[0][l.sys.SlotOfProcess(p)]]))
	for i, c := range l.links {
		if l.ir.Links[i].From != p {
			continue
		}
		values := c.values(l.initial[0])
		for j, v := range c.variables() {
			l.line("  %s : [0..%d]%s;", v.name, v.most, begin(values[j]))
		}
	}
	if l.modules[p].goal {
		text := " init false"
		if len(l.initial) > 1 {
			text = ""
		}
		l.line("  %s_%d : bool%s;", reached, p, text)
	}
	l.line("")
	for _, c := range l.modules[p].commands {
		l.line("  %s", c)
	}
	l.line("endmodule")
}

// foot writes what comes behind the modules.
func (l *language) foot() {
	if len(l.initial) > 1 {
		l.begin()
	}
	l.goal()
	names := newNames()
	for i, r := range l.rewards {
		l.line("\nrewards \"%s\"", names.unique(r.Name))
		for _, a := range l.actions {
			if a.earned[i].Sign() != 0 {
				l.line("  [%s] true : %s;", a.name, a.earned[i].RatString())
			}
		}
		l.line("endrewards")
	}
}

// begin says in which states the model begins, if there are several.
func (l *language) begin() {
	filled := l.filled()
	l.line("\ninit")
	for i, start := range l.initial {
		var parts []string
		for p := range l.modules {
			parts = append(parts, fmt.Sprintf("s_%d=%s", p, l.points.name(start[l.sys.SlotOfProcess(p)])))
		}
		for _, c := range l.links {
			values := c.values(start)
			for j, v := range c.variables() {
				if filled[v.name] {
					parts = append(parts, fmt.Sprintf("%s=%d", v.name, values[j]))
				}
			}
		}
		l.line("  %c (%s)", "(|"[min(i, 1)], strings.Join(parts, " & "))
	}
	l.line("  )")
	for _, c := range l.links {
		for _, v := range c.variables() {
			if !filled[v.name] {
				l.line("  & %s=0", v.name)
			}
		}
	}
	for p := range l.modules {
		if l.modules[p].goal {
			l.line("  & !%s_%d", reached, p)
		}
	}
	l.line("endinit")
}

// filled returns the names of the variables of channels that are not 0 in every initial state.
func (l *language) filled() map[string]bool {
	filled := make(map[string]bool)
	for _, start := range l.initial {
		for _, c := range l.links {
			values := c.values(start)
			for j, v := range c.variables() {
				filled[v.name] = filled[v.name] || values[j] != 0
			}
		}
	}
	return filled
}

// goal writes the label.
func (l *language) goal() {
	if len(l.events) == 0 {
		return
	}
	var parts []string
	for p := range l.modules {
		if l.modules[p].goal {
			parts = append(parts, fmt.Sprintf("%s_%d", reached, p))
		}
	}
	if len(parts) == 0 {
		parts = []string{"false"}
	}
	l.line("\nlabel %q = %s;", l.label, strings.Join(parts, " | "))
}
