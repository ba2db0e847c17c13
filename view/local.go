package view

import (
	"slices"

	"ringcheck/model/language/ir"
)

// variables returns the values of the live variables, for people and for programs.
func variables(l ir.Local) []Var {
	var vars []Var
	for i, v := range l.Point.Live {
		if v.Type.Kind != ir.Absent {
			vars = append(vars,
				Var{v.Name, v.Type.Format(l.Env[i]), value(v.Type, l.Env[i]), v.Kind == ir.Timer, v.Kind == ir.Register})
		}
	}
	return vars
}

func value(t *ir.Type, v int64) any {
	switch t.Kind {
	case ir.Int, ir.Nat, ir.Node:
		return v
	case ir.Bool:
		return v != 0
	}
	return t.Format(v)
}

// equationName returns the name of the equation that l is in.
func equationName(e *ir.Equation) string {
	if e == nil {
		return "process"
	}
	return e.Name
}

// changes returns how the local states after differ from those before.
func changes(before, after []Process) []Change {
	var all []Change
	for p := range after {
		if before[p].Name != after[p].Name {
			all = append(all, Change{p, "", before[p].Name, after[p].Name})
		}
		all = append(all, changedVars(p, before[p].Vars, after[p].Vars)...)
	}
	return all
}

// changedVars lists what is new or different, then what is gone.
func changedVars(p int, before, after []Var) []Change {
	var all []Change
	for _, v := range after {
		if old := lookup(before, v.Name); old != v.Text {
			all = append(all, Change{p, v.Name, old, v.Text})
		}
	}
	for _, v := range before {
		if lookup(after, v.Name) == "" {
			all = append(all, Change{p, v.Name, v.Text, ""})
		}
	}
	return all
}

// lookup returns the value of a variable, empty if it is not there.
func lookup(vars []Var, name string) string {
	i := slices.IndexFunc(vars, func(v Var) bool { return v.Name == name })
	if i < 0 {
		return ""
	}
	return vars[i].Text
}
