package check

import (
	"errors"
	"slices"
	"strings"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// Limits of an instance, so that no spec exhausts the memory before it runs.
const (
	maxLinks = 1 << 22
	maxDrawn = 1 << 16 // values to draw from
)

// Instantiate returns the protocol for the given parameters and options, each by its name with its value as it is
// written: "5", "true", "left". The others have their defaults. The error is a *SettingError, or a syntax.ErrorList if
// the spec is invalid with these values.
func (s *Spec) Instantiate(settings map[string]string) (*ir.Protocol, error) {
	return s.instantiate(newBuilder(s.info), settings)
}

// Ask returns the protocol as Instantiate does, with goals: expressions of one line each, which have the same meaning
// as in the spec, or names of events, each of which means that this event happens. If one is invalid, the error says
// why.
func (s *Spec) Ask(settings map[string]string, goals ...string) (*ir.Protocol, error) {
	p, err := s.ask(settings, goals)
	if list, ok := errors.AsType[syntax.ErrorList](err); ok {
		err = list[0].Plain()
	}
	return p, err
}

func (s *Spec) ask(settings map[string]string, goals []string) (*ir.Protocol, error) {
	if len(goals) == 0 {
		return s.Instantiate(settings)
	}
	file := s.info.file.Reparse() // the tree of the spec has bindings of its own
	for _, text := range goals {
		if strings.ContainsAny(text, "\r\n") {
			return nil, errors.New("expected one line")
		}
		goal, err := syntax.ParseGoal(text)
		if err != nil {
			return nil, err
		}
		file.Goals = append(file.Goals, s.happens(goal))
	}
	asked, err := File(file)
	if err != nil {
		return nil, err
	}
	return asked.Instantiate(settings)
}

// happens returns the goal that an event happens in place of its name, if that is not the name of a value.
func (s *Spec) happens(goal syntax.Expr) syntax.Expr {
	n, ok := goal.(*syntax.Name)
	if !ok || s.info.values[n.Name] != nil || s.info.events[n.Name] == nil {
		return goal
	}
	return &syntax.HappensExpr{ExprNode: n.ExprNode, Event: &syntax.Ident{ExprNode: n.ExprNode, Name: n.Name}}
}

// WithoutGhosts returns the protocol as Instantiate does, without its ghosts and properties.
func (s *Spec) WithoutGhosts(settings map[string]string) (*ir.Protocol, error) {
	b := newBuilder(s.info)
	b.ghostless = true
	return s.instantiate(b, settings)
}

func (s *Spec) instantiate(b *builder, settings map[string]string) (*ir.Protocol, error) {
	if err := s.checkNames(settings); err != nil {
		return nil, err
	}
	b.protocol.Name = s.Name
	if err := b.settings(settings); err != nil {
		return nil, err
	}
	b.topology()
	b.declarations()
	if err := b.err(); err != nil {
		return nil, err
	}
	b.lasting()
	b.processes()
	b.owners()
	b.contents()
	if err := b.err(); err != nil {
		return nil, err
	}
	b.liveness()
	b.ofProperties = true
	b.initialConditions()
	b.initial()
	if !b.ghostless {
		b.properties()
		b.behaviour()
	}
	if err := b.err(); err != nil {
		return nil, err
	}
	return b.protocol, nil
}

// err returns the errors, with the ends of their places.
func (b *builder) err() error {
	b.file.Locate(b.errs, "setting")
	return b.errs.Err()
}

// A builder makes a protocol from a checked file and the values of its settings.
type builder struct {
	*info
	errs     syntax.ErrorList
	protocol *ir.Protocol
	// ghostless says that ghosts and properties are left out.
	ghostless bool
	// ofProperties says that the properties are being lowered, after the processes. They read the variables of all
	// processes, and what was assigned to these.
	ofProperties bool

	consts    map[*symbol]*ir.Const // of parameters, options and constants
	vars      map[*symbol]*ir.Var   // variables, the process number, binders
	assigned  map[*symbol]*ir.Assignment
	free      []*ir.Assignment // of registers that begin with any value
	messages  map[*symbol]*ir.Message
	events    map[*symbol]*ir.Event
	equations map[*symbol]*ir.Equation // the reachable ones
	queue     []*symbol                // equations to lower
	stops     []*ir.Stop
	calls     []*ir.Call
	loops     []*ir.Loop
	inner     *ir.Loop                    // the innermost loop whose body is being lowered
	kindOf    map[*symbol]*ir.ProcessKind // kinds with an index, whose names denote sets
	kind      *ir.ProcessKind             // whose declaration is being lowered; nil if there is but one
	openings  map[*ir.ProcessKind]ir.Term // the lowered declarations
	regions   map[*ir.ProcessKind]*region // of kinds with variables of their own
	defines   map[*symbol]*ir.Define
	undefined map[*ir.Define]bool // whether its body may be undefined
	// What is known of definitions: see decidedCall and closedBody.
	decidedCalls map[callKey]*ir.Const
	closedBodies map[*ir.Define]bool
	occupied     map[*ir.Equation]bool
	// The notices about the property that is being lowered, and about each definition.
	collector warningCollector
	notices   map[*ir.Define]warningCollector
}

func newBuilder(i *info) *builder {
	return &builder{
		info:      i,
		protocol:  &ir.Protocol{},
		consts:    map[*symbol]*ir.Const{},
		vars:      map[*symbol]*ir.Var{},
		assigned:  map[*symbol]*ir.Assignment{},
		messages:  map[*symbol]*ir.Message{},
		events:    map[*symbol]*ir.Event{},
		equations: map[*symbol]*ir.Equation{},
		defines:   map[*symbol]*ir.Define{},
		undefined: map[*ir.Define]bool{},

		decidedCalls: map[callKey]*ir.Const{},
		closedBodies: map[*ir.Define]bool{},
		notices:      map[*ir.Define]warningCollector{},
		kindOf:       map[*symbol]*ir.ProcessKind{},
	}
}

// variableKinds are the kinds of variable by the word that declares them.
var variableKinds = map[string]ir.VarKind{
	"var": ir.Ordinary, "register": ir.Register, "shared": ir.Shared, "ghost": ir.Ghost,
	"timer": ir.Timer,
}

// declarations gives the variables, messages, events and assignments their types.
func (b *builder) declarations() {
	for _, d := range syntax.All[*syntax.VarDecl](b.file) {
		t := b.typeIf(d.Type, d.If)
		if d.Kind == "ghost" && b.ghostless {
			t = ir.AbsentType()
		}
		for _, id := range d.Names {
			v := b.newVar(b.values[id.Name], t)
			v.Kind, v.Of = variableKinds[d.Kind], b.kindWith(d.Of)
			b.share(v, id.Pos)
		}
		if d.Kind == "timer" && (t.Kind != ir.Int && t.Kind != ir.Absent || t.Lo != 0) {
			b.errs.Add(d.Type.TypePos(), "a timer is a range that begins with 0, not %s", t)
		}
	}
	for _, d := range syntax.All[*syntax.AssignDecl](b.file) {
		if sym := b.values[d.Name]; !b.ghostless && b.holds(d.If) && slices.ContainsFunc(sym.conditions, b.holds) {
			b.newVar(sym, b.typ(d.Type)).Kind = ir.Ghost
		}
	}
	for i, d := range b.info.signatures("message") {
		m := &ir.Message{ID: i, Name: d.Name, Fields: b.fields(d.Fields)}
		b.messages[b.info.messages[d.Name]] = m
		b.protocol.Messages = append(b.protocol.Messages, m)
	}
	for i, d := range b.info.signatures("event") {
		e := &ir.Event{ID: i, Name: d.Name, Fields: b.fields(d.Fields)}
		b.events[b.info.events[d.Name]] = e
		b.protocol.Events = append(b.protocol.Events, e)
	}
	number := b.newVar(b.self, ir.NodeType(b.protocol.N))
	b.vars[b.own] = number
	b.protocol.EnvSize = number.ID + 1
}

// share numbers a variable if it is a shared one.
func (b *builder) share(v *ir.Var, pos syntax.Pos) {
	switch {
	case v.Kind != ir.Shared || !v.Lasting():
	case v.Type.Wide:
		b.errs.Add(pos, "a shared variable cannot hold so large a set: %s", v.Type)
	default:
		v.Slot = len(b.protocol.Shared)
		b.protocol.Shared = append(b.protocol.Shared, v)
	}
}

// newVar adds a variable.
func (b *builder) newVar(sym *symbol, t *ir.Type) *ir.Var {
	v := &ir.Var{ID: len(b.protocol.Vars), Name: sym.name, Type: t, Pos: sym.at}
	b.vars[sym] = v
	b.protocol.Vars = append(b.protocol.Vars, v)
	return v
}

func (b *builder) fields(fields []*syntax.Field) []ir.Field {
	var out []ir.Field
	for _, f := range fields {
		out = append(out, ir.Field{Name: f.Name, Type: b.typeIf(f.Type, f.If)})
	}
	return out
}

// holds evaluates a condition on constants; none is true.
func (b *builder) holds(cond syntax.Expr) bool {
	return cond == nil || b.constant(cond, nil).Value != 0
}
