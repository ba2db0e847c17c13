package check

import (
	"slices"

	"ringcheck/model/language/syntax"
)

// A Dependence lists the parts of a spec that depend on the values of some parameters.
type Dependence struct {
	Topology syntax.Pos
	Ring     bool   // the topology is a ring, directed or not
	Size     string // the parameter that is the size of the topology; "" if it is not one of them
	// Types are the variables, assignments and, as "message.field", fields whose types depend on them; Counters are
	// those whose values go up to Size.
	Types, Counters map[string]bool
	// ComputedAt are the places in process equations where a value is computed from them, such as n - 1, or a range is,
	// or where the ranges of two variables determine whether one is read; and the conditions and ranges of
	// declarations, but not the range 1..n - 1 of a kind of process. All others use them unchanged.
	ComputedAt []syntax.Pos
	// Claims are the places in properties where a value is computed from them, by name.
	Claims map[string][]syntax.Pos
	// Extras are the places of crashes, disciplines of channels, registers, timers and initial messages.
	Extras []syntax.Pos
	// Shared are the declarations of shared variables that are there whatever the options are.
	Shared []*syntax.VarDecl
	// Varying means that some of them depend on the parameters: there may be none for these values, and some for
	// others. Initial messages do not if there are the same ones for all processes, for process 0, or for all others.
	Varying bool
}

// Depends returns the parts that depend on the values of parameters.
func (s *Spec) Depends(params map[string]bool) *Dependence {
	network := s.info.file.Topology
	d := &Dependence{Topology: network.Pos, Ring: network.Shape().Ring,
		Types: make(map[string]bool), Counters: make(map[string]bool), Claims: make(map[string][]syntax.Pos)}
	if name, ok := network.Size.(*syntax.Name); ok && params[name.Name] {
		d.Size = name.Name
	}
	condition := func(e syntax.Expr) {
		if e != nil && s.info.mentions(e, params) {
			d.ComputedAt = append(d.ComputedAt, e.ExprPos())
		}
	}
	typed := func(name string, t syntax.Type) {
		d.Types[name] = s.info.mentions(t, params)
		if r, ok := s.info.resolveType(t).(*syntax.RangeType); ok {
			hi, ok := r.Hi.(*syntax.Name)
			d.Counters[name] = ok && hi.Name == d.Size
		}
	}
	for _, v := range syntax.All[*syntax.VarDecl](s.info.file) {
		condition(v.If)
		if v.Kind == "shared" && v.If == nil {
			d.Shared = append(d.Shared, v)
		}
		for _, id := range v.Names {
			typed(id.Name, v.Type)
		}
	}
	for _, m := range s.info.signatures("message") {
		for _, f := range m.Fields {
			typed(m.Name+"."+f.Name, f.Type)
			condition(f.If)
		}
	}
	for _, a := range syntax.All[*syntax.AssignDecl](s.info.file) {
		condition(a.If)
		typed(a.Name, a.Type)
	}
	for _, decl := range s.info.file.Order {
		places := extras(decl)
		d.Extras = append(d.Extras, places...)
		initially, ok := decl.(*syntax.InitiallyDecl)
		d.Varying = d.Varying || len(places) > 0 && s.info.mentions(decl, params) &&
			!(ok && s.info.uniform(initially, params))
	}
	for _, p := range syntax.All[*syntax.ProcessDecl](s.info.file) {
		if p.Range != nil && !d.allButZero(p.Range) {
			condition(p.Range.Lo)
			condition(p.Range.Hi)
		}
		d.ComputedAt = append(d.ComputedAt, s.info.computedExprs(p.Body, params)...)
	}
	for _, e := range syntax.All[*syntax.EquationDecl](s.info.file) {
		d.ComputedAt = append(d.ComputedAt, s.info.computedExprs(e.Body, params)...)
	}
	for _, p := range syntax.All[*syntax.PropertyDecl](s.info.file) {
		d.Claims[p.Name] = s.info.computedExprs(p.Body, params)
	}
	return d
}

// allButZero reports whether a range has all processes but process 0, however many there are.
func (d *Dependence) allButZero(r *syntax.RangeType) bool {
	return syntax.FormatExpr(r.Lo) == "1" && syntax.FormatExpr(r.Hi) == d.Size+" - 1"
}

// uniform reports whether a declaration puts the same messages, which do not depend on some parameters, into the
// channels to all processes, to process 0, or to all others.
func (i *info) uniform(d *syntax.InitiallyDecl, params map[string]bool) bool {
	if len(d.Binders) != 1 || !isNode(d.Binders[0].Type) {
		return false
	}
	p := d.Binders[0].Name.Name
	to, ok := d.Process.(*syntax.Name)
	if !ok || to.Name != p || d.Where != nil &&
		!slices.Contains([]string{p + " = 0", p + " > 0", p + " != 0"}, syntax.FormatExpr(d.Where)) {
		return false
	}
	depends := i.mentions(d.Source, params) || d.If != nil && i.mentions(d.If, params)
	for _, m := range d.Messages {
		depends = depends || i.mentions(m, params)
		syntax.Walk(m, func(node any) bool {
			name, ok := node.(*syntax.Name)
			depends = depends || ok && name.Name == p
			return true
		})
	}
	return !depends
}

// extras returns the places of crashes, capacities and faults of channels, registers, timers, and what is said of
// initial states.
func extras(decl syntax.Decl) (places []syntax.Pos) {
	switch decl := decl.(type) {
	case *syntax.CrashDecl:
		return []syntax.Pos{decl.Pos}
	case *syntax.InitiallyDecl:
		return []syntax.Pos{decl.Pos}
	case *syntax.InitialDecl:
		return []syntax.Pos{decl.Pos}
	case *syntax.ChannelDecl:
		if decl.Capacity != nil {
			places = append(places, decl.Capacity.ExprPos())
		}
		for _, c := range decl.Clauses {
			places = append(places, c.Pos)
		}
	case *syntax.VarDecl:
		if decl.Kind == "register" || decl.Kind == "shared" || decl.Kind == "timer" {
			return []syntax.Pos{decl.Pos}
		}
	}
	return places
}

// computedExprs returns the position at which a syntax tree, or a definition that it uses, has an expression with one
// of some parameters or the processes of the network, other than the name of a parameter alone, that may have a value
// before the run.
func (i *info) computedExprs(tree any, params map[string]bool) (places []syntax.Pos) {
	used := make(map[*symbol]bool)
	var visit func(node any) bool
	visit = func(node any) bool {
		if sym := nodeSymbol(node); isDefinition(sym) && !used[sym] {
			used[sym] = true
			syntax.Walk(sym.decl.(*syntax.DefineDecl).Body, visit)
		}
		if call, ok := node.(*syntax.CallTerm); ok {
			for k, id := range symbolOf(call.Binding).decl.(*syntax.EquationDecl).Params {
				if arg := call.Args[k]; i.narrows(arg, symbolOf(id.Binding), params) {
					places = append(places, arg.ExprPos())
				}
			}
		}
		if r, ok := node.(*syntax.RangeType); ok && !i.varies(r.Lo) && !i.varies(r.Hi) && i.mentions(r, params) {
			places = append(places, r.TypePos()) // for some values it may be empty
			return false
		}
		e, ok := node.(syntax.Expr)
		name, bare := e.(*syntax.Name)
		bare = bare && (params[name.Name] || isDefinition(symbolOf(name.Binding)))
		if !ok || bare || joins(e) || i.varies(e) || !i.mentions(e, params) {
			return true
		}
		places = append(places, e.ExprPos())
		return false
	}
	syntax.Walk(tree, visit)
	return places
}

// narrows reports whether an argument may be a variable of another type than a parameter, and some parameters determine
// whether that has all its values. If it lacks some, passing the variable reads it, so that it is live.
func (i *info) narrows(arg syntax.Expr, to *symbol, params map[string]bool) bool {
	switch arg := arg.(type) {
	case *syntax.CondExpr: // which options may decide
		return i.narrows(arg.Then, to, params) || i.narrows(arg.Else, to, params)
	case *syntax.Name:
		if sym := symbolOf(arg.Binding); sym != nil && sym.kind == varSymbol {
			t, u := i.resolveType(sym.decl.(*syntax.VarDecl).Type), i.resolveType(to.decl.(*syntax.VarDecl).Type)
			text := func(t syntax.Type) string { return syntax.FormatField(&syntax.Field{Type: t}) }
			depends := text(t) != text(u) && (i.mentions(t, params) || i.mentions(u, params))
			from, ok := t.(*syntax.RangeType)
			if to, both := u.(*syntax.RangeType); ok && both && syntax.FormatExpr(from.Hi) == syntax.FormatExpr(to.Hi) {
				depends = i.mentions(from.Lo, params) || i.mentions(to.Lo, params)
			}
			return depends
		}
	}
	return false
}

// joins reports whether an expression joins conditions: it has a value only if operands that have decide it.
func joins(e syntax.Expr) bool {
	switch e := e.(type) {
	case *syntax.UnaryExpr:
		return e.Op == "not"
	case *syntax.BinaryExpr:
		return connectives[e.Op] != nil
	}
	return false
}

// mentions reports whether the text of a node, or of a declaration that a name in it denotes, has one of some
// parameters.
func (i *info) mentions(node any, params map[string]bool) (found bool) {
	syntax.Walk(node, func(node any) bool {
		sym := nodeSymbol(node)
		if isDefinition(sym) {
			found = found || i.mentions(sym.decl.(*syntax.DefineDecl).Body, params)
		}
		switch e := node.(type) {
		case *syntax.Name:
			found = found || sym != nil && (sym.kind == paramSymbol && params[sym.name] ||
				sym.kind == constSymbol && i.mentions(sym.decl.(*syntax.ConstDecl).Value, params) ||
				(sym.kind == optionSymbol || sym.kind == typeSymbol) && i.mentions(sym.decl, params) ||
				sym.kind == kindSymbol && i.mentionsRange(sym.decl.(*syntax.ProcessDecl), params))
		case *syntax.CallExpr:
			found = found || e.Name == "neighbour" || e.Name == "neighbours" || e.Name == "ports"
		case *syntax.WordType:
			found = found || isNode(e)
		case *syntax.NamedType:
			found = found || i.mentions(i.resolveType(e), params)
		}
		return !found
	})
	return found
}

// mentionsRange reports whether the numbers of the processes of a kind depend on some parameters.
func (i *info) mentionsRange(d *syntax.ProcessDecl, params map[string]bool) bool {
	return d.Range != nil && i.mentions(d.Range, params)
}

// varies reports whether an expression has no value before the run, whatever the options are: it reads a variable that
// is always there, other than some bound ones, and no other part decides it.
func (i *info) varies(e syntax.Expr, bound ...string) (varies bool) {
	parts := func() (some, all bool) {
		all = true
		syntax.Walk(e, func(node any) bool {
			part, ok := node.(syntax.Expr)
			if ok = ok && part != e; ok {
				v := i.varies(part, bound...)
				some, all = some || v, all && v
			}
			return !ok
		})
		return some, all
	}
	switch e := e.(type) {
	case *syntax.Name:
		switch sym := symbolOf(e.Binding); {
		case sym == nil || sym.kind <= typeSymbol || sym.kind == kindSymbol || sym.kind == valueSymbol ||
			slices.Contains(bound, e.Name):
		case sym.kind == defineSymbol:
			varies = i.varies(sym.decl.(*syntax.DefineDecl).Body, bound...)
		default:
			varies = i.present(e.Name)
		}
	case *syntax.FieldExpr:
		varies = i.present(e.Name.Name)
	case *syntax.AtExpr, *syntax.CrashedExpr, *syntax.IsExpr, *syntax.FillExpr: // no process may get there
	case *syntax.CondExpr:
		varies = i.varies(e.Cond, bound...) || i.varies(e.Then, bound...) && i.varies(e.Else, bound...)
	case *syntax.QuantExpr: // a quantifier around it may still be evaluated
		for _, b := range e.Binders {
			bound = append(slices.Clip(bound), b.Name.Name)
		}
		varies = isNode(e.Binders[0].Type) && e.Op != "set" &&
			slices.ContainsFunc(e.Parts(), func(e syntax.Expr) bool { return i.looks(e) || i.varies(e, bound...) })
	case *syntax.CallExpr:
		some, _ := parts()
		varies = some || symbolOf(e.Binding) != nil && len(e.Args) > 0
	default:
		some, all := parts()
		varies = some && (all || !joins(e))
	}
	return varies
}

// present reports whether there are variables, assignments and fields of a name whatever the options are.
func (i *info) present(name string) bool {
	return !i.optional[name]
}

// optionalNames returns the names of variables, assignments and fields that are declared for some options only.
func optionalNames(f *syntax.File) map[string]bool {
	names := make(map[string]bool)
	syntax.WalkFile(f, func(node any) bool {
		switch d := node.(type) {
		case *syntax.VarDecl:
			for _, id := range d.Names {
				names[id.Name] = names[id.Name] || d.If != nil
			}
		case *syntax.AssignDecl:
			names[d.Name] = names[d.Name] || d.If != nil
		case *syntax.Field:
			names[d.Name] = names[d.Name] || d.If != nil
		}
		return true
	})
	return names
}

// looks reports whether an expression looks at a state, whatever the options are. Then a quantifier over the processes
// is not evaluated before the run.
func (i *info) looks(e syntax.Expr) (looks bool) {
	syntax.Walk(e, func(node any) bool {
		sym := nodeSymbol(node)
		switch e := node.(type) {
		case *syntax.AtExpr, *syntax.CrashedExpr, *syntax.IsExpr, *syntax.FieldExpr:
			looks = true
		case *syntax.CondExpr: // one of its branches may be left out
			return false
		case *syntax.CallExpr:
			looks = looks || e.Name == "inbox"
		}
		looks = looks || isDefinition(sym) && i.looks(sym.decl.(*syntax.DefineDecl).Body)
		return !looks
	})
	return looks
}

func isDefinition(sym *symbol) bool { return sym != nil && sym.kind == defineSymbol }
