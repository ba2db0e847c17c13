package repository

import (
	"os"
	"testing"

	"golang.org/x/tools/go/packages"

	"ringcheck/internal/test/testlevel"
)

// TestTypes checks the types of all packages and tests for other operating systems, and with integers of 32 bits. They
// are read from source, which takes a tenth of the time of compiling them.
func TestTypes(t *testing.T) {
	if !testlevel.Gate() {
		t.Skip("only with RINGCHECK_TEST")
	}
	for _, c := range []struct{ system, processor string }{{"windows", "386"}, {"darwin", "arm64"}} {
		cfg := &packages.Config{
			Mode: packages.NeedImports | packages.NeedDeps | packages.NeedCompiledGoFiles | packages.NeedSyntax |
				packages.NeedTypes | packages.NeedTypesInfo | packages.NeedTypesSizes,
			Env:   append(os.Environ(), "GOOS="+c.system, "GOARCH="+c.processor, "CGO_ENABLED=0"),
			Tests: true,
		}
		found, err := packages.Load(cfg, "./...")
		if err != nil || len(found) == 0 {
			t.Fatalf("%v: %d packages, %v", c, len(found), err)
		}
		packages.Visit(found, nil, func(p *packages.Package) {
			for _, err := range p.Errors {
				t.Errorf("%v: %v", c, err)
			}
		})
	}
}
