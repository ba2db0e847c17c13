package check

import (
	"ringcheck/model/language/syntax"
)

// usualNumber is the name of the process number where no process declaration gives it one.
const usualNumber = "p"

// severalKinds reports whether a spec has kinds of process, rather than one declaration for all processes.
func (i *info) severalKinds() bool {
	return len(i.processKinds) > 1 || len(i.processKinds) == 1 && i.processKinds[0].Index != nil
}

// declareProcess declares the name of the process number or of a kind of process.
func (c *checker) declareProcess(d *syntax.ProcessDecl) {
	if !c.severalKinds() {
		c.self = c.define(c.values, processSymbol, d.Header, d)
		c.self.shape, c.self.used = anInteger, true
		return
	}
	if c.self == nil {
		c.self = &symbol{kind: processSymbol, name: usualNumber, shape: anInteger, used: true}
	}
	kind := c.define(c.values, kindSymbol, d.Header, d)
	kind.shape, kind.used = anInteger, true
	if d.Index == nil {
		return
	}
	kind.shape = &shape{kind: setShape, elem: anInteger}
	if c.self.decl != nil && d.Index.Name != c.self.name {
		c.errs.Add(d.Index.Pos, "the number of a process must have the same name everywhere: it is %s above",
			c.self.name)
		return
	}
	if c.self.decl == nil {
		c.self.name, c.self.pos, c.self.at, c.self.decl = d.Index.Name, d.Index.Pos, d.Index.Pos, d
	}
	c.refer(d.Index.Pos, c.self)
}

// sizeScope is the scope of expressions that determine the number of processes and their kinds.
func (c *checker) sizeScope() scope {
	s := c.constants()
	s.early, s.unlinked = true, true
	return s
}

// processDecl checks what a kind of process does.
func (c *checker) processDecl(d *syntax.ProcessDecl) {
	s := c.knowing(scope{context: startContext, order: len(c.file.Order)})
	if d.Index != nil {
		c.typ(c.sizeScope(), d.Range)
	}
	if d.Index != nil || !c.severalKinds() {
		s = s.bind(c.self)
	}
	c.term(s, d.Body)
}
