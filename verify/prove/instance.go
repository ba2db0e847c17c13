package prove

import (
	"fmt"
	"reflect"

	"ringcheck/internal/effort"
	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

// An instance is a protocol at two sizes. Constants that differ depend on its parameters.
type instance struct {
	*ir.Protocol                         // at the larger size
	smaller          *ir.Protocol        // the same spec with smaller parameters
	smallerValues    map[*ir.Const]int64 // by constant of the larger one: its value in the smaller one
	structureDiffers bool                // the protocols differ in more than constants
	depends          *check.Dependence
	sorts            map[any]valueSort // by variable or field
	identity         string            // how processes get their identities: "uid", "#"; "" if they have none
	abstraction
	effort *effort.Effort
}

// An abstraction says what states have besides the controls of processes and the messages in transit.
type abstraction struct {
	coarse  bool // without the integers and booleans of processes
	counts  bool // with the number of equal messages in transit, up to two
	hasZero bool // with the process that is process 0
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
	f *effort.Effort, larger, smaller *ir.Protocol, depends *check.Dependence, as abstraction,
) *instance {
	x := &instance{Protocol: larger, smaller: smaller,
		smallerValues: make(map[*ir.Const]int64), sorts: make(map[any]valueSort),
		abstraction: as, depends: depends, effort: f}
	x.pairConstants(expressions(larger.Start.Term), expressions(smaller.Start.Term))
	x.structureDiffers = x.structureDiffers || len(larger.Points) != len(smaller.Points)
	for i := 0; i < len(larger.Points) && !x.structureDiffers; i++ {
		x.pairConstants(expressions(larger.Points[i].Term), expressions(smaller.Points[i].Term))
	}
	return x
}

// readsAssigned reports whether a variable has a value that is assigned to its process, as properties read it.
func readsAssigned(v *ir.Var) bool {
	a, ok := v.Init.(*ir.AssignedValue)
	return ok && v.Kind == ir.Ghost && !a.Assignment.Permutation
}

// pairConstants records the values of the constants of expressions in their counterparts for the other size. The
// expressions differ in nothing else if they depend on the parameters only as check.Dependence reports.
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

// subexpressions returns expressions, their subexpressions, and all subexpressions of the definitions that they use.
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

// selfNumber is the name of an identity that is the number of the process. No name in a spec is equal to it.
const selfNumber = "#"

// identityIn returns the name of the identity that an expression in the process declaration denotes: a value that is
// assigned to the process, its number, its number plus or minus a constant, or a constant minus its number. It is "" if
// the expression is no identity.
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
	case *ir.AssignedValue:
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
