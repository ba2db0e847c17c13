package spectest

import (
	"strings"
	"testing"

	"ringcheck/model/language/check"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
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

// Settings returns the settings in a text such as "n=3 order=left".
func Settings(text string) map[string]string {
	settings := make(map[string]string)
	for _, field := range strings.Fields(text) {
		name, value, _ := strings.Cut(field, "=")
		settings[name] = value
	}
	return settings
}
