package prove

import (
	"fmt"
	"reflect"

	"ringcheck/internal/effort"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An instance is a protocol for two sizes: constants that differ depend on its parameters.
type instance struct {
	*ir.Protocol                         // at the larger size
	smaller          *ir.Protocol        // the same spec with smaller parameters
	smallerValues    map[*ir.Const]int64 // by constant of the larger one: its value in the smaller one
	structureDiffers bool                // the texts differ in more than constants
	depends          *check.Dependence
	sorts            map[any]valueSort // by variable or field: how its values are represented
	identity         string            // how processes get their identities: "uid", "#"; "" if they have none
	coarse           bool              // forget integers and booleans
	effort           *effort.Effort
}

// A field is a field of a message.
type field struct {
	message *ir.Message
	index   int
}

// unsuitable returns the error that a spec or a property cannot be proved in this way, with its position in the text.
func unsuitable(pos syntax.Pos, why string) error {
	return syntax.ErrorList{{Pos: pos, Message: why, Code: "unsuited"}}
}

// newInstance compares a protocol at two sizes.
func newInstance(
	f *effort.Effort, larger, smaller *ir.Protocol, depends *check.Dependence, coarse bool,
) *instance {
	x := &instance{Protocol: larger, smaller: smaller, smallerValues: make(map[*ir.Const]int64), sorts: make(map[any]valueSort),
		coarse: coarse, depends: depends, effort: f}
	x.pairConstants(expressions(larger.Start.Term), expressions(smaller.Start.Term))
	x.structureDiffers = x.structureDiffers || len(larger.Points) != len(smaller.Points)
	for i := 0; i < len(larger.Points) && !x.structureDiffers; i++ {
		x.pairConstants(expressions(larger.Points[i].Term), expressions(smaller.Points[i].Term))
	}
	return x
}

// readsAssigned reports whether a variable has a value that is assigned to its process, as properties read it.
func readsAssigned(v *ir.Var) bool {
	a, ok := v.Init.(*ir.Assigned)
	return ok && v.Kind == ir.Ghost && !a.Assignment.Permutation
}

// pairConstants records the values of the constants of expressions in their counterparts for the other size. The expressions
// differ in nothing else if they depend on the parameters only as check.Dependence reports.
func (x *instance) pairConstants(all, others []ir.Expr) {
	all, others = subexpressions(all), subexpressions(others)
	x.structureDiffers = x.structureDiffers || len(all) != len(others)
	for i := 0; i < len(all) && !x.structureDiffers; i++ {
		x.structureDiffers = reflect.TypeOf(all[i]) != reflect.TypeOf(others[i])
		if c, ok := all[i].(*ir.Const); ok && !x.structureDiffers {
			x.smallerValues[c] = others[i].(*ir.Const).Value
		}
	}
}

// subexpressions returns expressions, their subexpressions, and those of the definitions that they use.
func subexpressions(exprs []ir.Expr) (list []ir.Expr) {
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

// identityIn names the way in which an expression in the process declaration identifies the process: what is assigned to it,
// or a number that is computed from its own by adding a constant or by subtracting it from one; "" if it does not.
func (x *instance) identityIn(e ir.Expr) string {
	self := func(e ir.Expr) bool {
		v, ok := strip(e).(*ir.VarRef)
		return ok && v.Var == x.Start.Number
	}
	constant := func(e ir.Expr) (name string, ok bool) { // the same for all processes, whatever the parameters are
		c, ok := e.(*ir.Const)
		switch {
		case ok && c.Value == x.smallerValues[c]:
			return fmt.Sprint(c.Value), true
		case ok && c.Value == int64(x.N) && x.smallerValues[c] == int64(x.smaller.N):
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
