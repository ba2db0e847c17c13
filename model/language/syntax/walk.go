package syntax

import "fmt"

// Walk calls visit for a node and, if visit returns true, walks the nodes below it in the order of the text. A node is
// a pointer to a struct of this package, such as a declaration or an expression. A nil node is skipped.
func Walk(node any, visit func(node any) bool) {
	var list nodes
	list.add(node)
	for _, n := range list {
		if visit(n) {
			for _, part := range children(n) {
				Walk(part, visit)
			}
		}
	}
}

// WalkFile walks all declarations of a file.
func WalkFile(f *File, visit func(node any) bool) {
	for _, d := range f.Order {
		Walk(d, visit)
	}
}

// ExprAt returns the outermost expression of a file whose position is pos, nil if no expression begins there.
func ExprAt(f *File, pos Pos) (found Expr) {
	WalkFile(f, func(node any) bool {
		if e, ok := node.(Expr); ok && found == nil && e.ExprPos() == pos {
			found = e
		}
		return found == nil
	})
	return found
}

// ActionAt returns the action of a file whose position is pos, nil if no action begins there.
func ActionAt(f *File, pos Pos) (found Action) {
	WalkFile(f, func(node any) bool {
		if a, ok := node.(Action); ok && found == nil && a.ActionPos() == pos {
			found = a
		}
		return found == nil
	})
	return found
}

// nodes is a list of nodes, none of which is nil.
type nodes []any

// add adds the nodes that are not nil. A nil pointer in an interface is not nil: see addPointers.
func (n *nodes) add(list ...any) {
	for _, node := range list {
		if node != nil {
			*n = append(*n, node)
		}
	}
}

// addAll adds the nodes of a slice, none of which is nil.
func addAll[T any](n *nodes, list []T) {
	for _, node := range list {
		n.add(node)
	}
}

// addPointers adds the pointers that are not nil.
func addPointers[T any](n *nodes, list ...*T) {
	for _, p := range list {
		if p != nil {
			*n = append(*n, p)
		}
	}
}

// children returns the nodes directly below a node, in the order of its fields.
func children(node any) nodes {
	var list nodes
	switch n := node.(type) {
	case Decl:
		list.declaration(n)
	case Type:
		list.typ(n)
	case Term:
		list.term(n)
	case Action:
		list.action(n)
	case Expr:
		list.expr(n)
	case *ChannelClause:
		list.add(n.Most)
		addPointers(&list, n.Delay)
		list.add(n.If)
	case *Field:
		list.add(n.Type, n.If)
	case *Content:
		addPointers(&list, n.Message)
		addAll(&list, n.Args)
	case *FairClause:
		addAll(&list, n.Names)
	case *Given:
		addPointers(&list, n.Name)
		list.add(n.Value, n.Last)
	case *Weight:
		list.add(n.Value, n.Probability)
	case *Binder:
		addPointers(&list, n.Name)
		list.add(n.Type, n.Over)
	default:
		panic(fmt.Sprintf("syntax: %T is not a node", node))
	}
	return list
}

// channel adds the nodes directly below the declaration of the channels.
func (n *nodes) channel(d *ChannelDecl) {
	addAll(n, d.Kinds)
	addPointers(n, d.Default)
	n.add(d.Capacity)
	addAll(n, d.Clauses)
}

// variable and initially add the nodes directly below a declaration of variables, and of initial messages.
func (n *nodes) variable(d *VarDecl) {
	addAll(n, d.Names)
	n.add(d.Type)
	addPointers(n, d.Of)
	n.add(d.Init, d.If)
}

func (n *nodes) initially(d *InitiallyDecl) {
	addAll(n, d.Messages)
	n.add(d.Process, d.Source)
	addAll(n, d.Binders)
	n.add(d.Where, d.If)
}

// declaration adds the nodes directly below a declaration.
func (n *nodes) declaration(d Decl) {
	switch d := d.(type) {
	case *SettingDecl:
		n.add(d.Type, d.Default)
	case *ConstDecl:
		n.add(d.Value)
	case *TypeDecl:
		n.add(d.Type)
	case *TopologyDecl:
		n.add(d.Size, d.By)
		addPointers(n, d.From, d.To)
		n.add(d.If)
	case *ChannelDecl:
		n.channel(d)
	case *CheckDecl:
		addAll(n, d.Given)
	case *CrashDecl:
		n.add(d.Most)
		addPointers(n, d.Name)
		n.add(d.Where)
		addPointers(n, d.Recover)
	case *VarDecl:
		n.variable(d)
	case *SignatureDecl:
		addAll(n, d.Fields)
	case *AssignDecl:
		n.add(d.Type, d.If)
	case *InitiallyDecl:
		n.initially(d)
	case *InitialDecl:
		n.add(d.Condition, d.If)
	case *ProcessDecl:
		addPointers(n, d.Index)
		addPointers(n, d.Range)
		n.add(d.Body)
	case *EquationDecl:
		addAll(n, d.Params)
		n.add(d.Body)
	case *DefineDecl:
		addAll(n, d.Params)
		n.add(d.Body)
	case *PropertyDecl:
		n.add(d.Body, d.If)
	case *RoleDecl:
		n.add(d.Body)
		addPointers(n, d.Colour)
	case *RewardDecl:
		n.add(d.Value)
		addPointers(n, d.Of)
	case *BoundDecl:
		addPointers(n, d.Reward, d.Unit)
		n.add(d.Within, d.Goal, d.Bound, d.If)
	case *TemporalDecl:
		n.add(d.Formula)
		addAll(n, d.Fair)
		n.add(d.If)
	default:
		panic(fmt.Sprintf("syntax: %T is not a declaration", d))
	}
}

// typ adds the nodes directly below a type.
func (n *nodes) typ(t Type) {
	switch t := t.(type) {
	case *WordType, *NamedType:
	case *RangeType:
		n.add(t.Lo, t.Hi)
	case *EnumType:
		addAll(n, t.Names)
	case *SetType:
		n.add(t.Elem)
	case *ArrayType:
		n.add(t.Index, t.Elem)
	default:
		panic(fmt.Sprintf("syntax: %T is not a type", t))
	}
}

// term adds the nodes directly below a term.
func (n *nodes) term(t Term) {
	switch t := t.(type) {
	case *BadTerm, *Stop, *CrashTerm, *LoopEnd:
	case *CallTerm:
		addAll(n, t.Args)
	case *PrefixTerm:
		n.add(t.Action, t.Next)
	case *DrawTerm:
		addPointers(n, t.Name)
		n.add(t.From, t.Among)
		addAll(n, t.Weights)
		n.add(t.With, t.Next)
	case *LetTerm:
		addPointers(n, t.Name)
		n.add(t.Value, t.Next)
	case *IfTerm:
		n.add(t.Cond, t.Then, t.Else)
	case *WhenTerm:
		n.add(t.Cond, t.Then)
	case *ForTerm:
		addPointers(n, t.Binder)
		n.add(t.Where, t.Body, t.Next)
	case *IgnoreTerm:
		addAll(n, t.Messages)
	case *ChoiceTerm:
		addAll(n, t.Terms)
	default:
		panic(fmt.Sprintf("syntax: %T is not a term", t))
	}
}

// action adds the nodes directly below an action.
func (n *nodes) action(a Action) {
	switch a := a.(type) {
	case *Skip:
	case *Send:
		n.add(a.Target)
		addPointers(n, a.Message)
		addAll(n, a.Args)
	case *Receive:
		n.add(a.Source)
		addPointers(n, a.Message)
		addAll(n, a.Patterns)
		n.add(a.Where)
		addAll(n, a.Then)
	case *EventAction:
		addAll(n, a.Args)
	case *Assign:
		addPointers(n, a.Name)
		n.add(a.Value)
	default:
		panic(fmt.Sprintf("syntax: %T is not an action", a))
	}
}

// expr adds the nodes directly below an expression.
func (n *nodes) expr(e Expr) {
	switch e := e.(type) {
	case *Ident, *Name, *BadExpr, *Wildcard, *DecimalLit, *IntLit, *BoolLit, *EndExpr:
	case *SetLit:
		addAll(n, e.Elems)
	case *RangeSet:
		n.add(e.Lo, e.Hi)
	case *UnaryExpr:
		n.add(e.X)
	case *BinaryExpr:
		n.add(e.X, e.Y)
	case *CondExpr:
		n.add(e.Cond, e.Then, e.Else)
	case *CallExpr:
		addAll(n, e.Args)
	case *IndexExpr:
		n.add(e.X, e.Index)
	case *UpdateExpr:
		n.add(e.X, e.Index, e.Value)
	case *FillExpr:
		addPointers(n, e.Binder)
		n.add(e.Value)
	case *QuantExpr:
		addAll(n, e.Binders)
		n.add(e.Where, e.Body)
	case *AtExpr:
		n.add(e.X)
		addPointers(n, e.Equation)
	case *CrashedExpr:
		n.add(e.X)
	case *IsExpr:
		n.add(e.X)
		addPointers(n, e.Message)
	case *FieldExpr:
		n.add(e.X)
		addPointers(n, e.Name)
	case *HappensExpr:
		addPointers(n, e.Event)
		n.add(e.At)
	default:
		panic(fmt.Sprintf("syntax: %T is not an expression", e))
	}
}
