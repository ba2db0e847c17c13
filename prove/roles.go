package prove

import (
	"fmt"
	"reflect"
	"slices"

	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An instance is a protocol for two sizes: constants that differ depend on its parameters.
type instance struct {
	*ir.Protocol                     // at the larger size
	smaller      *ir.Protocol        // the same spec with smaller parameters
	other        map[*ir.Const]int64 // by constant of the larger one: its value in the smaller one
	unlike       bool                // the texts differ in more than constants
	depends      *check.Dependence
	role         map[any]*class   // by variable or field
	identity     string           // how processes get their identities: "uid", "p+1"; "" if they have none
	identityOf   ir.Expr          // in the process declaration
	foreign      map[*ir.Var]bool // those that hold identities, and not always that of their own process
	coarse       bool             // forget integers and booleans
}

// A field is a field of a message.
type field struct {
	message *ir.Message
	index   int
}

// A class is a set of variables and fields whose values are copied to one another or compared.
type class struct {
	parent    *class
	unbounded bool // it has more values if the parameters are larger
	forgotten bool
	hops      bool // 1 is added: it counts how far a message has come
	long      bool // it may count beyond the number of processes
	assigned  bool // it begins with the identity of its process
	mixed     bool // it begins with something else, too
}

func (c *class) root() *class {
	for c.parent != nil {
		c = c.parent
	}
	return c
}

func (c *class) unite(d *class) {
	if c, d = c.root(), d.root(); c != d {
		d.parent = c
		c.unbounded, c.forgotten = c.unbounded || d.unbounded, c.forgotten || d.forgotten
		c.hops, c.assigned, c.mixed = c.hops || d.hops, c.assigned || d.assigned, c.mixed || d.mixed
		c.long = c.long || d.long
	}
}

// A kind says how values are represented.
type kind int

const (
	finite    kind = iota // as they are
	nodes                 // by the process whose identity it is, or from which a message comes
	sets                  // by such processes, as many as there are
	unknown               // not at all: any value
	undefined             // of a variable that is not live, in a property
)

// kindOf returns how the values of a variable or field are represented.
func (x *instance) kindOf(of any) kind {
	c := x.role[of]
	if c == nil {
		return finite
	}
	switch c = c.root(); {
	case c.unbounded && c.hops != c.assigned && !c.mixed && !(c.hops && c.long):
		f, ok := of.(field)
		if v, is := of.(*ir.Var); is && v.Type.Kind == ir.Set && !c.hops {
			return sets
		} else if is && v.Type.Kind == ir.Set || ok && f.message.Fields[f.index].Type.Kind == ir.Set {
			return unknown
		}
		return nodes
	case c.unbounded || c.forgotten:
		return unknown
	}
	return finite
}

// countsHops reports whether a variable or field that holds a node counts the hops from it.
func (x *instance) countsHops(of any) bool { return x.role[of].root().hops }

// unsuited returns the error that a spec or a property cannot be proved in this way, with its position in the text.
func unsuited(pos syntax.Pos, why string) error {
	return syntax.ErrorList{{Pos: pos, Message: why, Code: "unsuited"}}
}

// manyValues is the number of values from which a type counts as unbounded.
const manyValues = 17

// newInstance compares a protocol at two sizes.
func newInstance(larger, smaller *ir.Protocol, depends *check.Dependence, coarse bool) *instance {
	x := &instance{Protocol: larger, smaller: smaller, other: make(map[*ir.Const]int64), role: make(map[any]*class),
		foreign: make(map[*ir.Var]bool), coarse: coarse, depends: depends}
	for _, v := range larger.Vars {
		x.classify(v, v.Type, depends.Vars[v.Name] || v.Kind == ir.Ghost && !assigned(v))
		x.role[v].long = v.Type.Hi != int64(larger.N) || smaller.Vars[v.ID].Type.Hi != int64(smaller.N)
	}
	for _, m := range larger.Messages {
		for j, f := range m.Fields {
			x.classify(field{m, j}, f.Type, depends.Fields[m.Name][f.Name])
		}
	}
	x.pair(expressions(larger.Start.Term), expressions(smaller.Start.Term))
	x.flow(larger.Start.Term)
	x.unlike = x.unlike || len(larger.Points) != len(smaller.Points)
	for i, p := range larger.Points {
		if !x.unlike {
			x.pair(expressions(p.Term), expressions(smaller.Points[i].Term))
		}
		x.flow(p.Term)
	}
	return x
}

// assigned reports whether a variable has a value that is assigned to its process, as properties read it.
func assigned(v *ir.Var) bool {
	a, ok := v.Init.(*ir.Assigned)
	return ok && v.Kind == ir.Ghost && !a.Assignment.Permutation
}

func (x *instance) classify(of any, t *ir.Type, depends bool) {
	size, ok := t.Size()
	x.role[of] = &class{
		unbounded: t.Kind != ir.Absent && (depends || !ok || size >= manyValues || t.Kind == ir.Node),
		forgotten: x.coarse && (t.Kind == ir.Bool || t.Kind == ir.Int),
	}
}

// pair records the values of the constants of expressions in their counterparts for the other size. The expressions
// differ in nothing else if they depend on the parameters only as check.Dependence reports.
func (x *instance) pair(all, others []ir.Expr) {
	all, others = applied(all), applied(others)
	x.unlike = x.unlike || len(all) != len(others)
	for i := 0; i < len(all) && !x.unlike; i++ {
		x.unlike = reflect.TypeOf(all[i]) != reflect.TypeOf(others[i])
		if c, ok := all[i].(*ir.Const); ok && !x.unlike {
			x.other[c] = others[i].(*ir.Const).Value
		}
	}
}

// applied returns expressions, their subexpressions, and those of the definitions that they use.
func applied(exprs []ir.Expr) (list []ir.Expr) {
	used := make(map[*ir.Define]bool)
	var visit func(ir.Expr) bool
	visit = func(e ir.Expr) bool {
		list = append(list, e)
		if a, ok := e.(*ir.Apply); ok && !used[a.Define] {
			used[a.Define] = true
			ir.Walk(a.Define.Body, visit)
		}
		return true
	}
	for _, e := range exprs {
		ir.Walk(e, visit)
	}
	return list
}

// expressions returns the expressions of a term.
func expressions(t ir.Term) (list []ir.Expr) {
	for _, t := range terms(t) {
		list = slices.Concat(list, ir.PartsOf(t).Exprs, ir.PartsOf(t).Bound)
	}
	return list
}

// terms returns a term and its subterms, including those that directly follow an action.
func terms(t ir.Term) (list []ir.Term) {
	for t := range ir.Terms(t) {
		list = append(list, t)
		if p, ok := t.(*ir.Prefix); ok && p.Next != nil && p.Next.ID < 0 {
			list = append(list, terms(p.Next.Term)...)
		}
	}
	return list
}

// flow unites the classes of variables and fields that a term copies or compares.
func (x *instance) flow(t ir.Term) {
	for _, t := range terms(t) {
		switch t := t.(type) {
		case *ir.Call:
			for i, v := range t.Equation.Params {
				x.copied(v, t.Args[i])
			}
		case *ir.Let:
			x.copied(t.Var, t.Value)
		case *ir.Draw:
			x.role[t.Var].root().mixed = true
		case *ir.Prefix:
			x.flowAction(t.Action)
		}
	}
	for _, e := range applied(expressions(t)) {
		if b, ok := e.(*ir.Binary); ok && (b.Op == ir.Eq || b.Op == ir.Ne || b.Op == ir.Lt || b.Op == ir.Le) {
			v, ok := strip(b.X).(*ir.VarRef)
			w, also := strip(b.Y).(*ir.VarRef)
			if ok && also && x.role[v.Var] != nil && x.role[w.Var] != nil {
				x.role[v.Var].unite(x.role[w.Var])
			}
		}
	}
}

func (x *instance) flowAction(a ir.Action) {
	switch a := a.(type) {
	case *ir.Send:
		for i, e := range a.Args {
			x.copied(field{a.Message, i}, e)
		}
	case *ir.Receive:
		for i, p := range a.Patterns {
			if p.Bind != nil {
				x.role[field{a.Message, i}].unite(x.role[p.Bind])
			} else if v, ok := p.Equal.(*ir.VarRef); ok {
				x.role[field{a.Message, i}].unite(x.role[v.Var])
			}
		}
	case *ir.Assign:
		x.copied(a.Var, a.Value)
	}
}

// copied records that an expression is assigned to a variable or field.
func (x *instance) copied(to any, e ir.Expr) {
	c := x.role[to].root()
	if own := x.own(e); own != "" {
		c.assigned = true
		c.mixed = c.mixed || x.identity != "" && x.identity != own
		if x.identity == "" {
			x.identity, x.identityOf = own, strip(e)
		}
		return
	}
	switch e := strip(e).(type) {
	case *ir.VarRef:
		c.unite(x.role[e.Var])
	case *ir.Cond:
		x.copied(to, e.Then)
		x.copied(to, e.Else)
	case *ir.Binary:
		if e.Op == ir.Union {
			x.copied(to, e.X)
			x.copied(to, e.Y)
			return
		}
		v, ok := strip(e.X).(*ir.VarRef)
		if one, is := e.Y.(*ir.Const); ok && is && e.Op == ir.Add && one.Value == 1 {
			c.unite(x.role[v.Var])
			c.root().hops = true
			return
		}
		c.mixed = true
	case *ir.Const:
		c.mixed = c.mixed || e.Value != 1
	case *ir.SetLit:
		for _, elem := range e.Elems {
			x.copied(to, elem)
		}
	default:
		c.mixed = true
	}
}

// own names the way in which an expression in the process declaration identifies the process: what is assigned to it,
// or a number that is computed from its own by adding a constant or by subtracting it from one; "" if it does not.
func (x *instance) own(e ir.Expr) string {
	self := func(e ir.Expr) bool {
		v, ok := strip(e).(*ir.VarRef)
		return ok && v.Var == x.Start.Number
	}
	switch e := strip(e).(type) {
	case *ir.VarRef:
		if self(e) {
			return "p"
		}
	case *ir.Assigned:
		if e.Assignment.Permutation && self(e.Process) {
			return e.Assignment.Name
		}
	case *ir.Binary:
		if c, ok := e.Y.(*ir.Const); ok && (e.Op == ir.Add || e.Op == ir.Sub) && self(e.X) {
			return fmt.Sprint("p", e.Op, c.Value, x.other[c])
		}
		if c, ok := e.X.(*ir.Const); ok && (e.Op == ir.Add || e.Op == ir.Sub) && self(e.Y) {
			return fmt.Sprint(c.Value, x.other[c], e.Op, "p")
		}
	}
	return ""
}

func strip(e ir.Expr) ir.Expr {
	if c, ok := e.(*ir.Convert); ok {
		return strip(c.X)
	}
	return e
}
