package explorer

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/topology"
	"ringcheck/view"
)

// An Explorer describes the states of a system. It is safe for concurrent use.
type Explorer struct {
	sys      *compile.System
	text     []byte
	withGoal func(ctx context.Context, goal string) (*compile.System, error)
	states   *view.Describer
	most     int // the maximum number of values of the quantifiers of a property in one state

	mu         sync.Mutex
	conditions map[string]*condition

	making   sync.Mutex // held during the computation of the quotient
	quotient *Quotient
}

// manyValues is the maximum number of values of the quantifiers of a property in one state; they take about half a
// second.
const manyValues = 1 << 24

// New returns an explorer of sys, an instance of the spec with the given text. withGoal compiles the same instance with
// a goal, in which a condition is evaluated.
func New(sys *compile.System, text []byte,
	withGoal func(ctx context.Context, goal string) (*compile.System, error)) *Explorer {
	return &Explorer{
		sys: sys, text: text, withGoal: withGoal, states: view.NewDescriber(sys), most: manyValues,
		conditions: make(map[string]*condition),
	}
}

// A Description describes a system apart from its states.
type Description struct {
	Title     string   `json:"title"` // the name
	Settings  string   `json:"settings"`
	Processes int      `json:"processes"`
	Names     []string `json:"names,omitempty"` // of the processes, if they are of several kinds
	Ring      bool     `json:"ring"`            // else a complete graph
	// Layout has the positions of the processes in a picture; it is absent for a circle.
	Layout     []topology.Point `json:"layout,omitempty"`
	Links      []view.Link      `json:"links"`
	Roles      []view.Role      `json:"roles"`
	Properties []Property       `json:"properties"`
	Source     []string         `json:"source"`  // the lines of the spec
	Initial    []string         `json:"initial"` // the codes of the first initial states
}

// A Property is a property of the spec.
type Property struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
	Doc  string `json:"doc,omitempty"`
}

// manyInitial is the maximum number of initial states that the page offers.
const manyInitial = 200

// Describe describes the system.
func (x *Explorer) Describe() (*Description, error) {
	p, shape := x.sys.Protocol(), x.states.Shape
	d := &Description{
		Title: p.Name, Processes: p.N, Names: shape.Names, Ring: shape.Ring, Layout: shape.Layout,
		Links: append([]view.Link{}, shape.Links...), Roles: []view.Role{}, Properties: []Property{},
		Source: strings.Split(strings.TrimRight(string(x.text), "\n"), "\n"),
	}
	_, d.Settings, _ = strings.Cut(shape.Caption.Heading(), ", ")
	for _, r := range shape.Roles {
		if r.Word != "" {
			d.Roles = append(d.Roles, r)
		}
	}
	for _, q := range p.Properties {
		d.Properties = append(d.Properties, Property{q.Name, q.Kind.String(), q.Doc})
	}
	err := x.sys.Initial(func(state []model.Value) bool {
		d.Initial = append(d.Initial, x.code(state))
		return len(d.Initial) < manyInitial
	})
	return d, err
}

// A State is one state and its transitions.
type State struct {
	Code       string     `json:"code"`
	Processes  []Process  `json:"processes"`
	Channels   [][]string `json:"channels"` // by link: in queue order if they are queues
	Shared     []view.Var `json:"shared,omitempty"`
	Moves      []Move     `json:"moves"`
	Properties []Truth    `json:"properties"` // in the order of the spec
	Conditions []Truth    `json:"conditions"` // in the order of the request
	ModelError string     `json:"modelError,omitempty"`
}

// A Process is a local state and the lines in the spec of the actions that the process may take next.
type Process struct {
	view.Process
	Lines []int `json:"lines"`
}

// A Move is a transition.
type Move struct {
	Process int       `json:"process"` // the process that acts; -1 for the environment
	Kind    view.Kind `json:"kind"`
	Fault   bool      `json:"fault,omitempty"` // a step of the environment, or a tick
	Sign    string    `json:"sign,omitempty"`  // of a fault that befalls a message
	Label   string    `json:"label"`
	Text    string    `json:"text"` // the transition in a sentence
	Message string    `json:"message,omitempty"`
	Link    int       `json:"link"`             // the link of its message; -1 without a message
	Sync    bool      `json:"sync,omitempty"`   // its message is sent and received
	Chance  string    `json:"chance,omitempty"` // the probability of a draw: 1/2
	Effect  string    `json:"effect"`           // the local state of the process after the transition
	Target  string    `json:"target"`           // the code of the target state

	target []model.Value
	step   model.Step
}

// A Truth is the value of a property or condition in a state.
type Truth struct {
	Value    *bool  `json:"value"`              // nil if the evaluation failed
	Violated bool   `json:"violated,omitempty"` // whether this value in this state violates the property
	Error    string `json:"error,omitempty"`
	Invalid  bool   `json:"invalid,omitempty"` // whether a condition is malformed
}

// ErrCode reports an address that belongs to no state, such as a malformed one.
var ErrCode = errors.New("this is not the address of a state of this system")

func (x *Explorer) code(state []model.Value) string { return encode(x.sys, state) }

func encode(codec model.Codec, state []model.Value) string {
	return base64.RawURLEncoding.EncodeToString(model.AppendState(codec, nil, state))
}

func (x *Explorer) decode(sys *compile.System, code string) ([]model.Value, error) {
	data, err := base64.RawURLEncoding.Strict().DecodeString(code)
	if err != nil {
		return nil, ErrCode
	}
	state := make([]model.Value, len(sys.Slots()))
	if err := model.DecodeState(sys, data, state); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrCode, err)
	}
	return state, nil
}

// State describes the state with the given code, including the values of conditions.
func (x *Explorer) State(ctx context.Context, code string, conditions []string) (*State, error) {
	state, err := x.decode(x.sys, code)
	if err != nil {
		return nil, err
	}
	if len(conditions) > manyConditions {
		return nil, fmt.Errorf("%d conditions: there can be %d at most", len(conditions), manyConditions)
	}
	s := &State{Code: x.code(state), Channels: x.states.Channels(state), Shared: x.states.Shared(state),
		Moves: []Move{}, Properties: []Truth{},
		Conditions: []Truth{}}
	for p, local := range x.states.Processes(state) {
		s.Processes = append(s.Processes, Process{local, x.states.Lines(state, p)})
	}
	moves, err := x.moves(state)
	if modelError := (*model.Error)(nil); errors.As(err, &modelError) {
		s.ModelError = modelError.Error()
	} else if err != nil {
		return nil, err
	}
	s.Moves = append(s.Moves, moves...)
	quiescent, _, err := model.Quiescent(x.sys, state)
	for _, p := range x.sys.Protocol().Properties {
		s.Properties = append(s.Properties, judge(p, x.truth(ctx, x.sys, p.Body, state), quiescent && err == nil))
	}
	for _, text := range conditions {
		s.Conditions = append(s.Conditions, x.condition(ctx, text).truthIn(ctx, x, s.Code))
	}
	return s, ctx.Err()
}

// moves returns the transitions from a state, sorted by process, transitions of the environment last. If the model has
// a model error in this state, the error is a *model.Error, returned with the other transitions.
func (x *Explorer) moves(state []model.Value) ([]Move, error) {
	var all []Move
	modelError := model.Each(x.sys, state, func(_ int, step model.Step, to []model.Value) bool {
		all = append(all, x.move(step, slices.Clone(to)))
		return true
	})
	slices.SortStableFunc(all, func(a, b Move) int {
		if a.Fault != b.Fault {
			return map[bool]int{true: 1, false: -1}[a.Fault]
		}
		return cmp.Compare(a.Process, b.Process)
	})
	return all, modelError
}

func (x *Explorer) move(step model.Step, target []model.Value) Move {
	info := x.sys.Label(step.Label)
	m := Move{Process: info.Process, Label: info.Text, Message: info.Message, Target: x.code(target), target: target,
		step: step}
	m.Kind, m.Link, m.Text = x.states.Action(info)
	m.Sync = info.Kind == model.SyncAction
	m.Fault = !slices.Contains([]view.Kind{view.Send, view.Receive, view.Event, view.Internal}, m.Kind)
	m.Sign = m.Kind.Sign()
	if step.Weight != model.Certain {
		m.Chance = fmt.Sprintf("%d/%d", step.Weight.Num, step.Weight.Den)
	}
	if m.Process >= 0 {
		m.Effect = x.states.Process(target, m.Process).String()
	}
	return m
}

// A Step is a move that was taken, and its target state.
type Step struct {
	Move  Move   `json:"move"`
	Index int    `json:"index"` // of the move among the moves of the state before
	State *State `json:"state"`
}

// Take takes a move of a state, by its index.
func (x *Explorer) Take(ctx context.Context, from *State, index int) (*Step, error) {
	next, err := x.State(ctx, from.Moves[index].Target, nil)
	return &Step{from.Moves[index], index, next}, err
}

// follow takes the first move with a label whose target state fits.
func (x *Explorer) follow(ctx context.Context, from *State, label string, fits func(*State) bool) (*Step, error) {
	for i, m := range from.Moves {
		if m.Label != label {
			continue
		}
		if step, err := x.Take(ctx, from, i); err != nil || fits(step.State) {
			return step, err
		}
	}
	if from.ModelError != "" {
		return nil, errors.New(from.ModelError)
	}
	return nil, fmt.Errorf("%q is not enabled there", label)
}

// Run follows moves from a state, given by their indices, and returns the trace.
func (x *Explorer) Run(code string, indices []int) (*view.Trace, error) {
	state, err := x.decode(x.sys, code)
	if err != nil {
		return nil, err
	}
	run := []model.Move{{State: state}}
	for i, index := range indices {
		moves, err := x.moves(state)
		if index < 0 || index >= len(moves) {
			return nil, cmp.Or(err, fmt.Errorf("step %d: there is no move %d", i+1, index))
		}
		state = moves[index].target
		run = append(run, model.Move{Step: moves[index].step, State: state})
	}
	return view.New(x.sys, run)
}

// A condition is an expression about states, compiled as the goal of an instance of the spec.
type condition struct {
	sys  *compile.System
	body ir.Expr
	err  error
}

const (
	manyConditions = 64   // in a request, or in the cache
	longCondition  = 4096 // bytes
)

// condition returns the compiled condition. It is cached unless ctx is done, since it may then be incomplete.
func (x *Explorer) condition(ctx context.Context, text string) *condition {
	x.mu.Lock()
	c := x.conditions[text]
	x.mu.Unlock()
	if c != nil {
		return c
	}
	c = x.newCondition(ctx, text) // without the lock, since it takes time
	if ctx.Err() != nil {
		return c
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	if len(x.conditions) >= manyConditions {
		clear(x.conditions)
	}
	x.conditions[text] = c
	return c
}

func (x *Explorer) newCondition(ctx context.Context, text string) *condition {
	if len(text) > longCondition {
		return &condition{err: fmt.Errorf("expected one line of at most %d bytes", longCondition)}
	}
	sys, err := x.withGoal(ctx, text)
	if err != nil {
		return &condition{err: err}
	}
	goal := sys.Protocol().Goals[0]
	if goal.Op != ir.StateAtom {
		return &condition{err: errors.New("expected an expression over states, without events")}
	}
	return &condition{sys: sys, body: goal.State}
}

func (c *condition) truthIn(ctx context.Context, x *Explorer, code string) Truth {
	if c.err != nil {
		return Truth{Error: c.err.Error(), Invalid: true}
	}
	state, err := x.decode(c.sys, code)
	if err != nil {
		return Truth{Error: err.Error()}
	}
	return x.truth(ctx, c.sys, c.body, state)
}

// truth evaluates an expression in a state, until ctx is done.
func (x *Explorer) truth(ctx context.Context, sys *compile.System, e ir.Expr, state []model.Value) Truth {
	holds, err := x.holds(ctx, sys, e, state)
	if err != nil {
		return Truth{Error: err.Error()}
	}
	return Truth{Value: &holds}
}

// holds reports whether an expression is true in a state. The error comes from ctx or the evaluation, or is
// effort.ErrSteps.
func (x *Explorer) holds(ctx context.Context, sys *compile.System, e ir.Expr, state []model.Value) (_ bool, err error) {
	v := sys.NewView()
	v.Show(state)
	env := sys.Protocol().NewEnv(v)
	bound, step := effort.Effort{Context: ctx}, effort.Steps(x.most)
	env.Tick = func() { bound.Tick(); step() }
	defer effort.Catch(&err)
	value, err := e.Eval(env)
	return value != 0, err
}

// judge marks t as violated if its value in this state suffices to violate property p.
func judge(p *ir.Property, t Truth, quiescent bool) Truth {
	wrong := t.Value != nil && !*t.Value
	t.Violated = wrong && p.Kind.Safety() && p.Kind.Concerns(quiescent)
	return t
}
