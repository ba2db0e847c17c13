package claims

import (
	"fmt"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
	"ringcheck/specs"
	"ringcheck/verify"
)

// An instance is a protocol with settings such as "n=3 order=left", and with other properties than its own if
// there are any.
type instance struct {
	spec, settings string
	properties     string
	// without is a part of the spec's text that is left out.
	without string
}

// compile returns the system of the instance.
func (i instance) compile(t *testing.T) *compile.System {
	t.Helper()
	file, src, err := specs.Source(i.spec)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Replace(string(src), i.without, "", 1)
	if i.without != "" && text == string(src) {
		t.Fatalf("%s has no text %q", file, i.without)
	}
	parsed, err := syntax.Parse(file, []byte(text+i.properties))
	if err != nil {
		t.Fatal(err)
	}
	spec, err := check.File(parsed)
	if err != nil {
		t.Fatal(err)
	}
	p, err := spec.Instantiate(spectest.Settings(i.settings))
	if err != nil {
		t.Fatal(err)
	}
	return spectest.Compile(t, p)
}

// check verifies the properties with the given names, or all.
func (i instance) check(t *testing.T, names ...string) *verify.Result {
	t.Helper()
	sys := i.compile(t)
	properties := sys.Protocol().Properties
	if len(names) > 0 {
		properties = nil
		for _, name := range names {
			properties = append(properties, find(t, sys, name))
		}
	}
	r, err := verify.Verifier{System: sys}.Check(t.Context(), properties, explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Search.Complete() {
		t.Fatalf("%s %s: %v", i.spec, i.settings, r.Search.Stop)
	}
	return r
}

func find(t *testing.T, sys *compile.System, name string) *ir.Property {
	t.Helper()
	for _, p := range sys.Protocol().Properties {
		if p.Name == name {
			return p
		}
	}
	t.Fatalf("no property %s", name)
	return nil
}

// violated returns the names of the violated properties.
func violated(r *verify.Result) string {
	var names []string
	for _, v := range r.Judgments {
		if v.Outcome != verify.Holds {
			names = append(names, v.Property.Name)
		}
	}
	return strings.Join(names, " ")
}

// verdict returns the one verdict of a report.
func verdict(r *verify.Result) verify.Judgment { return r.Judgments[0] }

// holds tests that nothing is violated in any of some instances.
func holds(t *testing.T, spec string, settings ...string) {
	t.Helper()
	for _, s := range settings {
		t.Run(s, func(t *testing.T) {
			if got := violated(instance{spec: spec, settings: s}.check(t)); got != "" {
				t.Errorf("violated: %s", got)
			}
		})
	}
}

// fails tests that exactly some properties are violated in each of some instances.
func fails(t *testing.T, names, spec string, settings ...string) {
	t.Helper()
	for _, s := range settings {
		t.Run(s, func(t *testing.T) {
			if got := violated(instance{spec: spec, settings: s}.check(t)); got != names {
				t.Errorf("violated: %q, want %q", got, names)
			}
		})
	}
}

// grid returns the settings of all rings up to n processes and k identities, with some options.
func grid(n, k int, options string) []string {
	var all []string
	for i := 2; i <= n; i++ {
		for j := 2; j <= k; j++ {
			all = append(all, strings.TrimSpace(fmt.Sprintf("n=%d k=%d %s", i, j, options)))
		}
	}
	return all
}
