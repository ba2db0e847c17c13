package ir

// Substitute returns e with an expression in place of a variable that is not bound in it.
func Substitute(e Expr, v *Var, by Expr) Expr {
	if ref, ok := e.(*VarRef); ok && ref.Var == v {
		return by
	}
	parts := Children(e)
	if len(parts) == 0 {
		return e
	}
	changed := make([]Expr, len(parts))
	for i, p := range parts {
		changed[i] = Substitute(p, v, by)
	}
	return WithChildren(e, changed)
}

// WithChildren returns e with other parts, in the order of Children.
func WithChildren(e Expr, parts []Expr) Expr {
	switch e := e.(type) {
	case *Unary:
		c := *e
		c.X = parts[0]
		return &c
	case *Binary:
		c := *e
		c.X, c.Y = parts[0], parts[1]
		return &c
	case *Cond:
		c := *e
		c.If, c.Then, c.Else = parts[0], parts[1], parts[2]
		return &c
	case *Convert:
		c := *e
		c.X = parts[0]
		return &c
	case *Assigned:
		c := *e
		c.Process = parts[0]
		return &c
	case *SetLit:
		c := *e
		c.Elems = parts
		return &c
	case *Interval:
		c := *e
		c.Lo, c.Hi = parts[0], parts[1]
		return &c
	case *Index:
		c := *e
		c.X, c.I = parts[0], parts[1]
		return &c
	case *Update:
		c := *e
		c.X, c.I, c.Value = parts[0], parts[1], parts[2]
		return &c
	case *Fill:
		c := *e
		c.Value = parts[0]
		return &c
	}
	return withPropertyChildren(e, parts)
}

func withPropertyChildren(e Expr, parts []Expr) Expr {
	switch e := e.(type) {
	case *Quantifier:
		c := *e
		if c.Over != nil {
			c.Over, c.Body = parts[0], parts[1]
		} else {
			c.Lo, c.Hi, c.Body = parts[0], parts[1], parts[2]
		}
		return &c
	case *At:
		c := *e
		c.Process = parts[0]
		return &c
	case *ProcessVar:
		c := *e
		c.Process = parts[0]
		return &c
	case *MessageIs:
		c := *e
		c.Of = parts[0]
		return &c
	case *MessageField:
		c := *e
		c.Of = parts[0]
		return &c
	case *Inbox:
		c := *e
		c.Process, c.Source = parts[0], parts[1]
		return &c
	case *Neighbour:
		c := *e
		c.Process, c.Side = parts[0], parts[1]
		return &c
	case *Neighbours:
		c := *e
		c.Process = parts[0]
		return &c
	case *Peer:
		c := *e
		c.Port = parts[0]
		return &c
	case *Length:
		return &Length{Channel: parts[0]}
	case *Apply:
		c := *e
		c.Args = parts
		return &c
	case *Holds:
		return &Holds{X: parts[0], Pos: e.Pos}
	}
	return e
}
