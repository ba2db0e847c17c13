// Package spectest helps to test whatever works on protocols: it makes protocols from text, and random
// specs on which fast code can be compared with slow code.
//
//	Instantiate    text and settings → ir.Protocol, or the test fails
//	Open           the same for a built-in spec, or one in a file
//	Compile        ir.Protocol → compile.System, or the test fails
//	Settings       "n=3 order=left" → settings
//	Anonymous      a spec of Random without what distinguishes process 0
//	Random         a random well-formed spec of a small protocol
//	FaultyChannels a small spec for each discipline of channels and each fault of messages
//	Corpus         random specs that have all features of the language, each in some of them
package spectest

import (
	"fmt"
	"strings"
	"testing"

	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
)

// Instantiate returns the protocol that the spec src is with the given settings.
func Instantiate(tb testing.TB, src string, settings map[string]string) *ir.Protocol {
	tb.Helper()
	f, err := syntax.Parse("test.ring", []byte(src))
	if err != nil {
		tb.Fatalf("parsing: %v\n%s", err, src)
	}
	spec, err := check.File(f)
	if err != nil {
		tb.Fatalf("checking: %v\n%s", err, src)
	}
	p, err := spec.Instantiate(settings)
	if err != nil {
		tb.Fatalf("instantiating with %v: %v\n%s", settings, err, src)
	}
	return p
}

// Open returns the protocol that a built-in spec, or the one in a file, is with settings such as "n=3 order=left".
func Open(tb testing.TB, nameOrPath, settings string) *ir.Protocol {
	tb.Helper()
	spec, err := specs.Open(nameOrPath)
	if err != nil {
		tb.Fatal(err)
	}
	p, err := spec.Instantiate(Settings(settings))
	if err != nil {
		tb.Fatal(err)
	}
	return p
}

// Source returns the text of a built-in spec.
func Source(tb testing.TB, name string) string {
	tb.Helper()
	_, text, err := specs.Source(name)
	if err != nil {
		tb.Fatal(err)
	}
	return string(text)
}

// Compile returns the system of a protocol; there is one of opt at most.
func Compile(tb testing.TB, p *ir.Protocol, opt ...compile.Options) *compile.System {
	tb.Helper()
	sys, err := compile.New(tb.Context(), p, append(opt, compile.Options{})[0])
	if err != nil {
		tb.Fatal(err)
	}
	return sys
}

// Settings returns the settings in a text such as "n=3 order=left".
func Settings(text string) map[string]string {
	settings := make(map[string]string)
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		settings[name] = value
	}
	return settings
}

// Anonymous takes out of a spec of Random what tells process 0 from the others where they begin.
func Anonymous(source string) string {
	return strings.NewReplacer("if p = 0 then", "if n > 0 then", "when p = 0:", "when n > 0:",
		"when p > 0:", "when n > 1:", "uid[0]", "uid[p]",
		"process zero[p in 0..0]", "process zero[p in 0..n - 1]", "process other[p in 1..n - 1]",
		"process other[p in n..n - 1]",
		"where p = 0", "where n > 0", "where p > 0", "where n > 0").Replace(source)
}

// A Graph is what Explore found.
type Graph struct {
	States         []*step.State // in breadth-first order
	Transitions    int
	TerminalStates int
	// EnvironmentOnly is the states with transitions of which all are the environment's.
	EnvironmentOnly int
	Levels          []int // states by distance from the initial states
}

// Explore searches breadth first, without any table. It is an error if there are more than limit states.
func Explore(in *step.Machine, limit int) (*Graph, error) {
	g := &Graph{}
	seen := make(map[string]bool)
	add := func(s *step.State) bool {
		if k := s.Key(); !seen[k] {
			seen[k] = true
			g.States = append(g.States, s)
		}
		return len(g.States) <= limit
	}
	tooMany := fmt.Errorf("more than %d states", limit)
	if err := in.Initial(add); err != nil {
		return g, err
	}
	if len(g.States) > limit {
		return g, tooMany
	}
	for first := 0; first < len(g.States); {
		level := g.States[first:]
		g.Levels = append(g.Levels, len(level))
		first = len(g.States)
		for _, s := range level {
			ts, err := Successors(in, s)
			if err != nil {
				return g, err
			}
			switch {
			case len(ts) == 0:
				g.TerminalStates++
			case Quiescent(ts):
				g.EnvironmentOnly++
			}
			different := make(map[string]bool)
			for _, t := range ts {
				different[fmt.Sprint(t.Process, t.Label, t.Target.Key())] = true
			}
			g.Transitions += len(different)
			for _, t := range ts {
				if !add(t.Target) {
					return g, tooMany
				}
			}
		}
	}
	return g, nil
}
