package prove

import (
	"cmp"

	"ringcheck/model/language/ir"
)

// A valueSort is the sort of the values of a variable or a field: how the abstraction represents them. The sorts are
// ordered by precision: unassigned < number, own, hop, set < unknown, and own < node < unknown.
type valueSort int

const (
	unassignedSort valueSort = iota // nothing has been assigned
	numberSort                      // numbers represent themselves
	ownSort                         // of a variable: the identity of its own process
	nodeSort                        // the process with an identity represents the identity
	hopSort                         // the process from which a message comes represents the number of its hops
	setSort                         // the processes with identities represent a set of these
	unknownSort                     // any value
)

// join returns the most precise sort of the values of two sorts.
func (s valueSort) join(t valueSort) valueSort {
	switch {
	case s == unassignedSort || s == t:
		return t
	case s == ownSort && t == nodeSort, s == nodeSort && t == ownSort:
		return nodeSort
	}
	return unknownSort
}

// inferSorts computes the sorts of all variables and fields, and how processes get their identities: the least fixpoint
// of the assignments in a translation. Each round begins again with the sorts so far, because other paths are possible
// with them. It ends, because each round raises a sort.
func inferSorts(in *instance) error {
	for {
		x := newTranslation(in)
		x.explore()
		if x.err != nil || !x.changed {
			return x.err
		}
	}
}

// assign joins the sort of a variable or field with the sort of a value that is assigned to it, and returns the result.
func (x *translation) assign(of any, v value) valueSort {
	x.setSort(of, x.sorts[of].join(x.sortFor(of, v)))
	return x.sorts[of]
}

// setSort sets the sort of a variable or field.
func (x *translation) setSort(of any, s valueSort) {
	x.changed = x.changed || x.sorts[of] != s
	x.sorts[of] = s
}

// sortFor returns the sort of a value in a variable or field.
func (x *translation) sortFor(of any, v value) valueSort {
	_, isVariable := of.(*ir.Var)
	switch v := v.(type) {
	case number:
		if x.tracked(of) {
			return numberSort
		}
	case identity:
		x.identity = cmp.Or(x.identity, v.name)
		switch {
		case v.name != x.identity || x.bounded(of):
		case isVariable && v.node == 0:
			return ownSort
		default:
			return nodeSort
		}
	case hopCount: // beyond the number of processes, a message would be at its origin more than once
		if v.added == 0 && x.depends.Counters[nameOf(of)] {
			return hopSort
		}
	case nodeSet:
		if isVariable && !x.bounded(of) {
			return setSort
		}
	}
	return unknownSort
}

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
