package compile

import (
	"context"
	"maps"
	"slices"

	"ringcheck/internal/effort"
	"ringcheck/model/language/ir"
)

// A reach overapproximates, by the text of a protocol, what a process can ever do.
type reach struct {
	starts   []*ir.Point // where it may be without an action of its own
	sends    ports       // targets
	receives ports       // sources
	events   bool        // whether it has events or skips
	crashes  bool        // whether it may crash, by itself or not
	draws    bool        // whether a draw may have outcomes in different groups
	own      bool        // whether it may act on its own, or take a decision, which may fail
	points   []*ir.Point // where it may be, by ID
}

// ports is a set of targets or sources.
type ports struct {
	any  bool // whether all are in the set
	some []int64
}

// add adds the value of an expression.
func (s *ports) add(e ir.Expr) {
	if c, ok := e.(*ir.Const); ok {
		s.some = append(s.some, c.Value)
	} else {
		s.any = true // a variable, or no condition at all
	}
}

func (s *ports) has(port int64) bool { return s.any || slices.Contains(s.some, port) }

// reaches returns the reach of each process. The result is one for all if rotation may be a symmetry: then a process
// can come to the states of any other, and the groups of all processes must be the same.
func reaches(bound *effort.Effort, p *ir.Protocol) []*reach {
	starts := make([][]*ir.Point, p.N)
	for process := range starts {
		bound.Tick()
		starts[process] = startsOf(p, process)
	}
	if mayRotate(p) {
		all := slices.Concat(starts...)
		for process := range starts {
			starts[process] = all
		}
	}
	return reachesFrom(bound, p, starts)
}

// reachesFrom returns the reach of each process that may be at some control points without an action of its own.
func reachesFrom(bound *effort.Effort, p *ir.Protocol, starts [][]*ir.Point) []*reach {
	var known []*reach
	list := make([]*reach, p.N)
	for process := range list {
		same := func(r *reach) bool { return slices.Equal(r.starts, starts[process]) }
		i := slices.IndexFunc(known, same)
		if i < 0 {
			i = len(known)
			known = append(known, newReach(bound, p, starts[process]))
		}
		list[process] = known[i]
	}
	return list
}

// mayRotate reports whether rotation may be a symmetry of a protocol. It is not one where processes are named by number
// and have several incoming channels, which are in the order of their sources.
func mayRotate(p *ir.Protocol) bool {
	several := false
	for process := range p.N {
		lo, hi := p.InLinks(process)
		several = several || hi-lo > 1
	}
	return p.Naming != ir.ByNumber || !several
}

// startsOf returns the control points at which a process may be without an action of its own: in an initial state, or
// after a crash.
func startsOf(p *ir.Protocol, process int) []*ir.Point {
	points := p.Entries(process)
	if f := &p.Faults; f.Most[ir.CrashFault] != 0 && f.Mortal[process] {
		points = append(points, f.Crashed.Start)
	}
	return points
}

// newReach returns the reach of a process that may be at some control points without an action of its own.
func newReach(bound *effort.Effort, p *ir.Protocol, starts []*ir.Point) *reach {
	r := &reach{starts: starts}
	seen, called := make(map[*ir.Point]bool), make(map[*ir.Point]bool)
	todo := slices.Clone(starts)
	for len(todo) > 0 {
		point := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if seen[point] {
			continue
		}
		seen[point] = true
		if f := &p.Faults; f.Crashed != nil && point == f.Crashed.Start {
			r.crashes = true
			if f.Recover != nil {
				todo = append(todo, f.Recover.Equation.Start)
			}
		}
		for t := range ir.Beginnings(point.Term) {
			bound.Tick()
			if t != point.Term || !ir.Passing(t) { // else it is part of the step before
				r.note(t)
			}
			todo = append(todo, ir.PartsOf(t).Points...)
			if call, ok := t.(*ir.Call); ok {
				called[call.Equation.Start] = true
			}
			if prefix, ok := t.(*ir.Prefix); ok {
				if _, crashes := prefix.Action.(*ir.Crash); crashes {
					todo = append(todo, p.Faults.Crashed.Start)
				}
			}
		}
	}
	maps.Copy(seen, called)
	for point := range seen {
		if !ir.Passing(point.Term) {
			r.points = append(r.points, point)
		}
	}
	slices.SortFunc(r.points, func(a, b *ir.Point) int { return a.ID - b.ID })
	return r
}

// ControlPoints returns, for each process, the control points where it may ever be by the text of a protocol, ordered
// by ID.
func ControlPoints(p *ir.Protocol) [][]*ir.Point {
	points, starts := make([][]*ir.Point, p.N), make([][]*ir.Point, p.N)
	for process := range starts {
		starts[process] = startsOf(p, process)
	}
	for process, r := range reachesFrom(&effort.Effort{Context: context.Background()}, p, starts) {
		points[process] = r.points
	}
	return points
}

// note adds what a process may do at a term.
func (r *reach) note(t ir.Term) {
	switch t := t.(type) {
	case *ir.Stop, *ir.Choice:
	case *ir.Prefix:
		r.noteAction(t.Action)
	case *ir.Draw:
		r.draws = r.draws || !t.Choose && mixes(t)
		r.own = true
	default:
		r.own = true
	}
}

// noteAction adds an action.
func (r *reach) noteAction(a ir.Action) {
	switch a := a.(type) {
	case *ir.Receive:
		r.receives.add(a.Source.Equal)
		return
	case *ir.Send:
		r.sends.add(a.Target)
	case *ir.Emit, *ir.Skip, *ir.Assign, *ir.Crash:
		r.events = true
	}
	r.own = true
}

// fillable reports, for each link, whether a message may ever be in it. It is the same for links with the same ports if
// rotation may be a symmetry.
func fillable(p *ir.Protocol, list []*reach) []bool {
	type name struct{ out, in int64 }
	deposits, named := make(map[int]bool), make(map[name]bool)
	rotates := mayRotate(p)
	for _, d := range p.Start.Contents {
		l := p.Links[d.Link]
		deposits[d.Link], named[name{l.Out, l.In}] = true, rotates
	}
	fills := make([]bool, len(p.Links))
	for i, l := range p.Links {
		fills[i] = list[l.From].sends.has(l.Out) || deposits[i] || named[name{l.Out, l.In}]
	}
	return fills
}
