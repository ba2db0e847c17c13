package prove

import (
	"cmp"
	"maps"
	"slices"

	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// A translation makes rules of a protocol.
type translation struct {
	*instance
	controls       []control
	controlIndex   map[string]int // by key
	messageKinds   []messageKind
	messageIndex   map[string]int // by key
	nodeVars       []nodeVar
	sights         []sight
	initial        initialStates
	ignoredInitial []ir.Expr // unknown conditions on these
	rules          []rule
	hasSets        bool                     // a variable stores a set of nodes
	hasHistory     bool                     // relations say what has been sent and received, see relationKind
	firstRelation  [relationKinds + 1]int32 // by kind of relation
	changed        bool                     // a sort has changed: see inferSorts
	wantsCounts    bool                     // a property is about two equal messages
	readsZero      bool                     // a rule, an initial state or a property depends on who is process 0
	err            error
}

func newTranslation(in *instance) *translation {
	in.effort.Held = 0 // an earlier translation has been dropped
	return &translation{instance: in, controlIndex: make(map[string]int), messageIndex: make(map[string]int)}
}

func (x *translation) refuse(pos syntax.Pos, why string) {
	if x.err == nil {
		x.err = unsuitable(pos, why)
	}
}

// translate returns the rules of a protocol.
func translate(in *instance) (*translation, error) {
	if in.structureDiffers {
		return nil, unsuitable(in.depends.Topology, "what the processes do depends on their number")
	}
	if err := in.Refusal(ir.InProofs); err != nil {
		return nil, unsuitable(cmp.Or(err.Pos, in.depends.Topology), err.Message())
	}
	if in.depends.Varying {
		return nil, unsuitable(append(in.depends.Extras, in.depends.Topology)[0],
			"what there is initially, and the values of a register, must not depend on a parameter that is not given")
	}
	err := inferSorts(in)
	x := newTranslation(in)
	if err == nil {
		x.explore()
		err = x.err
	}
	x.hasZero = x.hasZero || x.readsZero
	x.addShown()
	x.addInitialSights()
	x.addHistory()
	x.numberRelations()
	return x, err
}

// explore adds the controls that processes can reach, and their rules, until a sort changes.
func (x *translation) explore() {
	x.addSights()
	x.addInitial()
	x.addInitialMessages()
	for i := 0; i < len(x.controls) && !x.isDone(); i++ {
		x.addRules(i)
	}
}

// isDone reports whether the translation has ended early.
func (x *translation) isDone() bool { return x.err != nil || x.changed }

// addHistory adds history atoms if a set of identities may need them. They are exact if messages keep their order.
func (x *translation) addHistory() {
	x.hasSets = slices.ContainsFunc(x.nodeVars, func(v nodeVar) bool { return v.Set })
	x.hasHistory = x.hasSets && x.Channel.InOrder() && len(x.Start.Contents) == 0 && !x.counts
	for t := range x.messageKinds {
		x.hasHistory = x.hasHistory && x.messageKinds[t].Nodes < 2
	}
	for _, r := range x.rules {
		if r.Again = x.hasHistory; r.Again && r.Sent >= 0 {
			x.rules = append(x.rules, r)
		}
	}
}

// The initialStates are all combinations of initial controls, with some messages in transit.
type initialStates struct {
	Zero   initialProcess `json:"zero"`   // process 0, if states have it
	Others initialProcess `json:"others"` // the other processes
	Sights []int          `json:"sights"` // of neighbours
}

// An initialProcess says how processes begin.
type initialProcess struct {
	Controls []int `json:"controls"` // at which they can be
	Messages []int `json:"messages"` // the kinds of message in transit to each of them
	Twice    []int `json:"twice"`    // those of which there are at least two
}

// addInitialMessages adds the messages that are in transit initially, which must be the same for all processes other
// than process 0.
func (x *translation) addInitialMessages() {
	if len(x.Start.Contents) == 0 {
		return
	}
	for _, p := range []*ir.Protocol{x.Protocol, x.smaller} {
		all := make([]initialProcess, p.N)
		for _, d := range p.Start.Contents {
			all[p.Links[d.Link].To].addMessage(x.initialMessage(d, p.Links[d.Link].In == ir.Left))
		}
		for _, m := range all[1:] {
			if !slices.Equal(m.Messages, all[1].Messages) || !slices.Equal(m.Twice, all[1].Twice) {
				x.refuse(p.Start.Contents[0].Pos,
					"the initial messages to all processes other than process 0 must be the same")
			}
		}
		x.initial.Zero.Messages, x.initial.Zero.Twice = all[0].Messages, all[0].Twice
		x.initial.Others.Messages, x.initial.Others.Twice = all[1].Messages, all[1].Twice
	}
	zero, others := x.initial.Zero, x.initial.Others
	same := slices.Equal(zero.Messages, others.Messages) && slices.Equal(zero.Twice, others.Twice)
	x.readsZero = x.readsZero || !same
}

// initialMessage returns the kind of a message in transit, which may be one of the smaller protocol.
func (x *translation) initialMessage(d *ir.Deposit, right bool) int {
	message := x.Messages[d.Message.ID]
	p := &path{env: map[*ir.Var]value{}}
	p.rule.At = d.Pos
	var args []value
	for k, arg := range d.Args {
		v := x.eval(p, arg)
		if !x.bounded(field{message, k}) { // it counts no hops: no process has sent it
			v = unknownValue{}
		}
		args = append(args, v)
	}
	x.send(p, &ir.Send{Message: message, Args: d.Args, Pos: d.Pos}, args, right)
	return p.rule.Sent
}

// addMessage adds a message in transit to a process.
func (s *initialProcess) addMessage(kind int) {
	switch {
	case !slices.Contains(s.Messages, kind):
		s.Messages = append(s.Messages, kind)
	case !slices.Contains(s.Twice, kind):
		s.Twice = append(s.Twice, kind)
	}
}

// addInitial adds the initial controls of processes.
func (x *translation) addInitial() {
	p := &path{env: map[*ir.Var]value{}, atStart: true}
	p.rule = rule{From: -1, Received: -1, Sent: -1}
	if x.Start.Number != nil {
		p.env[x.Start.Number] = identity{name: selfNumber}
	}
	paths := []*path{p}
	for _, v := range x.Vars {
		values := []value{unknownValue{}}
		switch {
		case v.Kind == ir.Register && v.Lasting():
			values = x.initialRegister(p, v)
		case v.Kind != ir.Ghost:
			continue
		case readsAssigned(v):
			values = x.values(v)
		}
		for _, p := range paths {
			paths = append(paths[1:], withEach(p, v, values)...)
		}
	}
	for _, p := range paths {
		x.run(p, x.Start.Term, func(p *path, at *ir.Point) {
			control, _ := x.arrive(p, at)
			if x.err == nil && control >= 0 {
				x.initial.add(control, p.rule.Conds)
			}
			for _, e := range p.rule.unknownConds {
				if !slices.Contains(x.ignoredInitial, e) {
					x.ignoredInitial = append(x.ignoredInitial, e)
				}
			}
		})
	}
}

// add adds a control at which a process can begin under conditions.
func (s *initialStates) add(control int, conditions []condition) {
	isZero, isNot := condition{Zero: true}, condition{Zero: true, Not: true}
	for process, other := range map[*initialProcess]condition{&s.Zero: isNot, &s.Others: isZero} {
		if !slices.Contains(conditions, other) && !slices.Contains(process.Controls, control) {
			process.Controls = append(process.Controls, control)
		}
	}
}

// withEach returns a path for each value of a variable.
func withEach(p *path, v *ir.Var, values []value) (all []*path) {
	for i := range values {
		all = append(all, p.withParams([]*ir.Var{v}, values[i:i+1]))
	}
	return all
}

// addRules adds the rules of a control.
func (x *translation) addRules(from int) {
	c := x.controls[from]
	p := &path{env: map[*ir.Var]value{}}
	p.rule = rule{From: from, Received: -1, Sent: -1, At: c.point.Pos}
	for i, nodeVar := range c.nodeVars {
		v := c.point.Live[i]
		switch x.sorts[v] {
		case numberSort:
			p.env[v] = number(c.values[i])
		case ownSort:
			p.env[v] = x.identityOf(0)
		case nodeSort:
			p.env[v] = x.identityOf(p.newSymbol(nodeVar))
		case hopSort:
			p.env[v] = hopCount{origin: p.newSymbol(nodeVar), right: x.nodeVars[nodeVar].right}
		case setSort:
			p.env[v] = nodeSet{stored: nodeVar}
		case unassignedSort, unknownSort:
			p.env[v] = unknownValue{}
		}
	}
	p.before = maps.Clone(p.env)
	x.run(p, c.point.Term, func(p *path, at *ir.Point) {
		p.rule.To, p.rule.Assignments = x.arrive(p, at)
		if x.err == nil && p.rule.To >= 0 {
			x.effort.Hold(ruleBytes)
			x.rules = append(x.rules, p.rule.trim())
		}
	})
}

// arrive returns the control at a point, and the nodes that its variables store then. The control is -1 if a variable
// would have a value that its type lacks, which is a model error. A nil point means the point of the rule.
func (x *translation) arrive(p *path, at *ir.Point) (int, []assignment) {
	stays := at == nil
	if stays {
		at = x.controls[p.rule.From].point
	}
	c := control{point: at, values: make([]int64, len(at.Live))}
	stored := make([]*assignment, len(at.Live)) // by variable; nil: it stores no nodes
	right := make([]bool, len(at.Live))
	for i, v := range at.Live {
		val, ok := p.env[v]
		if stays && !v.Lasting() {
			val, ok = p.before[v]
		}
		if !ok {
			x.refuse(at.Pos, v.Name+" has no value")
			continue
		}
		switch sort := x.assign(v, val); val := val.(type) {
		case number:
			if sort == numberSort {
				if c.values[i] = int64(val); !v.Type.Contains(int64(val)) {
					return -1, nil
				}
			}
		case identity:
			if sort == nodeSort {
				stored[i] = &assignment{Kept: -1, Symbols: []int{val.node}}
			}
		case hopCount:
			if sort == hopSort {
				stored[i], right[i] = &assignment{Kept: -1, Symbols: []int{val.origin}}, val.right
			}
		case nodeSet:
			if sort == setSort {
				stored[i] = &assignment{Kept: val.stored, Symbols: val.nodes}
			}
		}
	}
	return x.addControl(c, stored, right)
}

// addControl returns the index of a control, and the assignments to its nodeVars.
func (x *translation) addControl(c control, stored []*assignment, right []bool) (int, []assignment) {
	index, ok := x.controlIndex[c.key()]
	if !ok {
		x.effort.Hold(controlBytes + 16*uint64(len(stored)))
		index = len(x.controls)
		x.controlIndex[c.key()] = index
		for i, s := range stored {
			if c.nodeVars = append(c.nodeVars, -1); s != nil {
				v := c.point.Live[i]
				c.nodeVars[i] = len(x.nodeVars)
				x.nodeVars = append(x.nodeVars, nodeVar{v, index, v.Type.Kind == ir.Set, right[i]})
			}
		}
		x.controls = append(x.controls, c)
	}
	var all []assignment
	for i, s := range stored {
		nodeVar := x.controls[index].nodeVars[i]
		if s == nil || nodeVar < 0 { // negative if a sort has changed since
			continue
		}
		s.Var = nodeVar
		all = append(all, *s)
		if x.nodeVars[nodeVar].right != right[i] { // a state does not determine the direction
			x.setSort(c.point.Live[i], unknownSort)
		}
	}
	return index, all
}
