package spectest

import (
	"testing"

	"ringcheck/model/check"
	"ringcheck/model/ir"
	"ringcheck/model/syntax"
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
