package check

import (
	"strconv"

	"ringcheck/model/language/syntax"
)

// A Spec is a checked spec. It is immutable and safe for concurrent use.
type Spec struct {
	Name     string
	Doc      string
	Source   string // the paper and section; may be empty
	File     string // where the text comes from, as in positions
	Params   []Param
	Options  []Option
	Warnings syntax.ErrorList // in the order of the text

	info *info
}

// A Param is a parameter of a spec. Lo, Hi and Default are texts of expressions, which may depend on
// parameters above.
type Param struct {
	Name, Doc string
	Lo, Hi    string
	Default   string // "": it must be set
}

// OptionKind says what values an option has.
type OptionKind int

// The kinds of option.
const (
	BoolOption OptionKind = iota
	EnumOption
	IntOption
)

// An Option is an option of a spec. The channel clause with two kinds is the option "channel".
type Option struct {
	Name, Doc string
	Kind      OptionKind
	Values    []string // of an EnumOption
	Lo, Hi    string   // of an IntOption, as in Param
	Default   string
}

// File checks what can be checked of a spec without values for its parameters. The error is a
// syntax.ErrorList.
func File(f *syntax.File) (*Spec, error) {
	c := newChecker(f)
	c.run()
	if err := c.errs.Err(); err != nil {
		return nil, err
	}
	s := &Spec{
		Name: f.Name, Doc: f.Doc, Source: f.Source, File: f.Pos.File,
		Warnings: c.warnings,
		info:     c.info,
	}
	for _, d := range f.Order {
		switch d := d.(type) {
		case *syntax.ParamDecl:
			s.Params = append(s.Params, param(d))
		case *syntax.OptionDecl:
			s.Options = append(s.Options, c.option(d))
		case *syntax.ChannelDecl:
			if d.Default != nil {
				s.Options = append(s.Options, channelChoice(d))
			}
		}
	}
	return s, nil
}

func param(d *syntax.ParamDecl) Param {
	p := Param{Name: d.Name, Doc: d.Doc, Lo: syntax.FormatExpr(d.Range.Lo), Hi: syntax.FormatExpr(d.Range.Hi)}
	if d.Default != nil {
		p.Default = syntax.FormatExpr(d.Default)
	}
	return p
}

func (i *info) option(d *syntax.OptionDecl) Option {
	o := Option{Name: d.Name, Doc: d.Doc, Default: syntax.FormatExpr(d.Default)}
	switch sh := i.types[d.Type].shape; sh.kind {
	case enumShape:
		o.Kind, o.Values = EnumOption, sh.names
	case intShape:
		o.Kind = IntOption
		if r, ok := i.resolved(d.Type).(*syntax.RangeType); ok {
			o.Lo, o.Hi = syntax.FormatExpr(r.Lo), syntax.FormatExpr(r.Hi)
		}
	}
	return o
}

// resolved returns the type that the names of types in t lead to.
func (i *info) resolved(t syntax.Type) syntax.Type {
	for {
		named, ok := t.(*syntax.NamedType)
		if !ok {
			return t
		}
		t = i.uses[named].decl.(*syntax.TypeDecl).Type
	}
}

func channelChoice(d *syntax.ChannelDecl) Option {
	o := Option{Name: channelOption, Doc: d.Doc, Kind: EnumOption, Default: d.Default.Name}
	for _, k := range d.Kinds {
		o.Values = append(o.Values, k.Name)
	}
	return o
}

func plural(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun + "s"
	case 1:
		return "1 " + noun
	}
	return strconv.Itoa(n) + " " + noun + "s"
}
