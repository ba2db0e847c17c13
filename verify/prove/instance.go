package prove

import (
	"cmp"
	"fmt"
	"reflect"

	"ringcheck/internal/effort"
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
	kinds        map[any]kind // by variable or field: how its values are represented
	identity     string       // how processes get their identities: "uid", "#"; "" if they have none
	coarse       bool         // forget integers and booleans
	effort       *effort.Effort
}

// A field is a field of a message.
type field struct {
	message *ir.Message
	index   int
}

// A kind says how values are represented.
type kind int

const (
	open      kind = iota // of a variable or field to which nothing has been assigned
	finite                // as they are
	own                   // of a variable: by its process, whose identity it always is
	nodes                 // by the process whose identity it is
	hops                  // of a counter: by the process from which the message comes
	sets                  // by the processes whose identities they are, as many as there are
	minimum               // of an expression: the least of a set
	size                  // the number of processes
	undefined             // of a variable that is not live, in a property
	unknown               // not at all: any value
)

// manyValues is the number of values from which a type counts as unbounded.
const manyValues = 17

// bounded reports whether a variable or field has the same few values whatever the parameters are.
func (x *instance) bounded(of any) bool {
	t := x.typeOf(of)
	size, ok := t.Size()
	return t.Kind == ir.Absent || !x.depends.Types[nameOf(of)] && ok && size < manyValues && t.Kind != ir.Node
}

// nameOf returns the name of a variable or field in a check.Dependence.
func nameOf(of any) string {
	if v, ok := of.(*ir.Var); ok {
		return v.Name
	}
	f := of.(field)
	return f.message.Name + "." + f.message.Fields[f.index].Name
}

// typeOf returns the type of a variable or field.
func (x *instance) typeOf(of any) *ir.Type {
	if v, ok := of.(*ir.Var); ok {
		return v.Type
	}
	f := of.(field)
	return f.message.Fields[f.index].Type
}

// tracked reports whether a variable or field can represent values as they are.
func (x *instance) tracked(of any) bool {
	t := x.typeOf(of)
	return x.bounded(of) && !(x.coarse && (t.Kind == ir.Bool || t.Kind == ir.Int))
}

// represent returns how a variable or field represents a value that is assigned to it. The first value decides this. If
// a later one does not fit, its values are not known at all. The translation begins again with what has been found.
func (x *translation) represent(of any, v value) kind {
	_, variable := of.(*ir.Var)
	had, is := x.kinds[of], unknown
	switch v.kind {
	case finite:
		if x.tracked(of) {
			is = finite
		}
	case nodes:
		if x.identity = cmp.Or(x.identity, v.as); v.as != x.identity || x.bounded(of) {
			break
		}
		if is = nodes; variable && v.symbol == 0 && had != nodes {
			is = own
		}
	case hops: // beyond the number of processes, it would be back at its origin more than once
		if v.more == 0 && x.depends.Counters[nameOf(of)] {
			is = hops
		}
	case sets:
		if variable && !x.bounded(of) {
			is = sets
		}
	}
	switch {
	case had == open, had == own && is == nodes:
		x.kinds[of] = is
	case had != is:
		x.kinds[of] = unknown
	}
	x.restart = x.restart || x.kinds[of] != had
	return x.kinds[of]
}

// unsuited returns the error that a spec or a property cannot be proved in this way, with its position in the text.
func unsuited(pos syntax.Pos, why string) error {
	return syntax.ErrorList{{Pos: pos, Message: why, Code: "unsuited"}}
}

// newInstance compares a protocol at two sizes.
func newInstance(
	f *effort.Effort, larger, smaller *ir.Protocol, depends *check.Dependence, coarse bool,
) *instance {
	x := &instance{Protocol: larger, smaller: smaller, other: make(map[*ir.Const]int64), kinds: make(map[any]kind),
		coarse: coarse, depends: depends, effort: f}
	x.pair(expressions(larger.Start.Term), expressions(smaller.Start.Term))
	x.unlike = x.unlike || len(larger.Points) != len(smaller.Points)
	for i := 0; i < len(larger.Points) && !x.unlike; i++ {
		x.pair(expressions(larger.Points[i].Term), expressions(smaller.Points[i].Term))
	}
	return x
}

// assigned reports whether a variable has a value that is assigned to its process, as properties read it.
func assigned(v *ir.Var) bool {
	a, ok := v.Init.(*ir.Assigned)
	return ok && v.Kind == ir.Ghost && !a.Assignment.Permutation
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
	visit := func(e ir.Expr) bool {
		list = append(list, e)
		return true
	}
	for _, e := range exprs {
		ir.Walk(e, visit)
	}
	for _, d := range ir.Definitions(exprs...) {
		ir.Walk(d.Body, visit)
	}
	return list
}

// expressions returns the expressions of a term, its subterms, and what directly follows an action.
func expressions(t ir.Term) (list []ir.Expr) {
	for t := range ir.Terms(t) {
		list = append(list, ir.ExprsOf(t)...)
	}
	return list
}

// selfNumber is what a process' number is called as its identity: no name in a spec.
const selfNumber = "#"

// own names the way in which an expression in the process declaration identifies the process: what is assigned to it,
// or a number that is computed from its own by adding a constant or by subtracting it from one; "" if it does not.
func (x *instance) own(e ir.Expr) string {
	self := func(e ir.Expr) bool {
		v, ok := strip(e).(*ir.VarRef)
		return ok && v.Var == x.Start.Number
	}
	constant := func(e ir.Expr) (name string, ok bool) { // the same for all processes, whatever the parameters are
		c, ok := e.(*ir.Const)
		switch {
		case ok && c.Value == x.other[c]:
			return fmt.Sprint(c.Value), true
		case ok && c.Value == int64(x.N) && x.other[c] == int64(x.smaller.N):
			return "n", true
		}
		return "", false
	}
	switch e := strip(e).(type) {
	case *ir.VarRef:
		if self(e) {
			return selfNumber
		}
	case *ir.Assigned:
		if e.Assignment.Permutation && self(e.Process) {
			return e.Assignment.Name
		}
	case *ir.Binary:
		if c, ok := constant(e.Y); ok && (e.Op == ir.Add || e.Op == ir.Sub) && self(e.X) {
			return fmt.Sprint(selfNumber, e.Op, " ", c)
		}
		if c, ok := constant(e.X); ok && (e.Op == ir.Add || e.Op == ir.Sub) && self(e.Y) {
			return fmt.Sprint(c, " ", e.Op, selfNumber)
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
