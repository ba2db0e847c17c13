package check

import (
	"slices"
	"strings"

	"ringcheck/model/language/syntax"
)

// An info is a file with the names that it declares. Once the file is checked, the names in its tree have bindings, and
// neither changes any more.
type info struct {
	file         *syntax.File
	processKinds []*syntax.ProcessDecl // or the one declaration for all processes

	// values are the parameters, options, constants, types, variables, assignments, definitions, and the process
	// number or the kinds of process.
	values    namespace
	messages  namespace
	events    namespace
	equations namespace
	rewards   namespace
	self      *symbol // of the process; nil without a process declaration
	own       *symbol // self, the number of the process in its equations; used if a spec reads it

	places []occurrence // all occurrences of names, including enumerated values

	// optional has the names of variables, assignments and fields that are declared for some options only.
	optional map[string]bool
}

// A checker fills in an info and collects errors and warnings.
type checker struct {
	*info
	enums    []*shape // all enumerations; directions come first
	errs     syntax.ErrorList
	warnings syntax.ErrorList
	missed   map[string]bool // the clauses that were reported missing, by their first words
	within   *symbol         // the equation that is being checked
	// stateful means that the definition that is being checked reads a state.
	stateful bool
	// shares means that it reads a shared variable.
	shares    bool
	reads     []*symbol          // the assignments that it reads
	later     []func()           // checks that wait for all declarations and definitions
	drawTerms []*syntax.DrawTerm // all draws, but those by choose
}

func newChecker(f *syntax.File) *checker {
	return &checker{
		info: &info{
			file:         f,
			optional:     optionalNames(f),
			processKinds: syntax.All[*syntax.ProcessDecl](f),
			own:          &symbol{kind: processSymbol, name: "self", shape: anInteger},
			values:       namespace{}, messages: namespace{}, events: namespace{},
			equations: namespace{}, rewards: namespace{},
		},
		enums:  []*shape{{kind: dirShape, names: directions(f.Topology).Names}},
		missed: map[string]bool{},
	}
}

// run checks the whole file.
func (c *checker) run() {
	c.declare()
	c.clauses()
	c.settings()
	c.declarations()
	for i, d := range c.file.Order {
		if d, ok := d.(*syntax.DefineDecl); ok {
			c.defineDecl(d, i)
		}
	}
	for _, check := range c.later {
		check()
	}
	for _, d := range syntax.All[*syntax.EquationDecl](c.file) {
		c.equationDecl(d)
	}
	for _, d := range c.processKinds {
		c.processDecl(d)
	}
	for _, d := range syntax.All[*syntax.InitiallyDecl](c.file) {
		c.initially(d)
	}
	c.faults()
	c.checkGuarded()
	c.draws()
	c.properties()
	c.warnUnused()
}

// clauses reports missing clauses that every spec needs.
func (c *checker) clauses() {
	if c.file.Topology == nil {
		c.missing(c.file.Pos, "topology", "the topology is missing", "for example: topology undirected ring of n")
	}
	if len(c.processKinds) == 0 {
		c.missing(c.file.Pos, "process", "the process declaration is missing", "for example: process p = Start")
	}
}

func (c *checker) properties() {
	for _, d := range c.file.Order {
		switch d := d.(type) {
		case *syntax.InitialDecl:
			c.initialDecl(d)
		case *syntax.PropertyDecl:
			c.propertyDecl(d)
		case *syntax.TemporalDecl:
			c.temporalDecl(d)
		case *syntax.BoundDecl:
			c.boundDecl(d)
		case *syntax.RewardDecl:
			c.rewardDecl(d)
		case *syntax.CheckDecl:
			c.checkDecl(d)
		}
	}
	for _, goal := range c.file.Goals {
		c.goal(goal, nil)
	}
	c.roles()
}

// A Spec is a checked spec. It is immutable and safe for concurrent use.
type Spec struct {
	Name     string
	Doc      string
	Source   string // the paper and section; may be empty
	File     string // where the text comes from, as in positions
	Params   []Setting
	Options  []Setting
	Checks   []Check
	Warnings syntax.ErrorList // in the order of the text

	info *info
}

// A Setting is a parameter or an option of a spec. Lo, Hi and Default are texts of expressions, which may depend on
// settings above. The channel clause with several kinds is the option "channel".
type Setting struct {
	Name    string   `json:"name"`
	Doc     string   `json:"doc"`
	Values  []string `json:"values"` // one by one; nil for a range
	Lo      string   `json:"lo"`     // of a range
	Hi      string   `json:"hi"`
	Default string   `json:"default"` // "": it must be set
}

// Settings returns the parameters, then the options.
func (s *Spec) Settings() []Setting { return slices.Concat(s.Params, s.Options) }

// File checks a spec as far as possible without values for its parameters. It stores bindings in the tree, which then
// belongs to the Spec. The error is a syntax.ErrorList.
func File(f *syntax.File) (*Spec, error) {
	c := newChecker(f)
	c.run()
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	return c.spec(), nil
}

// spec returns the spec that has been checked.
func (c *checker) spec() *Spec {
	f := c.file
	s := &Spec{
		Name: f.Name, Doc: f.Doc, Source: f.Source, File: f.Pos.File,
		Warnings: c.warnings,
		info:     c.info,
	}
	for _, d := range f.Order {
		switch d := d.(type) {
		case *syntax.SettingDecl:
			if d.Kind == "param" {
				s.Params = append(s.Params, c.setting(d))
			} else {
				s.Options = append(s.Options, c.setting(d))
			}
		case *syntax.ChannelDecl:
			if d.Default != nil {
				s.Options = append(s.Options, channelChoice(d))
			}
		case *syntax.CheckDecl:
			s.Checks = append(s.Checks, newCheck(d))
		}
	}
	return s
}

func (i *info) setting(d *syntax.SettingDecl) Setting {
	s := Setting{Name: d.Name, Doc: d.Doc}
	if d.Default != nil {
		s.Default = syntax.FormatExpr(d.Default)
	}
	switch t := i.resolveType(d.Type).(type) {
	case *syntax.WordType:
		if t.Word == "bool" {
			s.Values = []string{"true", "false"}
		}
	case *syntax.EnumType:
		s.Values = names(t)
	case *syntax.RangeType:
		s.Lo, s.Hi = syntax.FormatExpr(t.Lo), syntax.FormatExpr(t.Hi)
	}
	return s
}

// signatures returns the declarations of messages or events.
func (i *info) signatures(kind string) []*syntax.SignatureDecl {
	other := func(d *syntax.SignatureDecl) bool { return d.Kind != kind }
	return slices.DeleteFunc(syntax.All[*syntax.SignatureDecl](i.file), other)
}

// resolveType returns the type that t names, or t itself.
func (i *info) resolveType(t syntax.Type) syntax.Type {
	for {
		named, ok := t.(*syntax.NamedType)
		if !ok {
			return t
		}
		t = symbolOf(named.Binding).decl.(*syntax.TypeDecl).Type
	}
}

func channelChoice(d *syntax.ChannelDecl) Setting {
	o := Setting{Name: channelOption, Doc: d.Doc, Default: d.Default.Name}
	for _, k := range d.Kinds {
		o.Values = append(o.Values, k.Name)
	}
	return o
}

// article returns a noun with its article.
func article(noun string) string {
	if strings.IndexByte("aeio", noun[0]) >= 0 {
		return "an " + noun
	}
	return "a " + noun
}
