package ringcheck_test

import (
	"context"
	"io"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/export"
	"ringcheck/model/language/ir"
	"ringcheck/verify/conform"
	"ringcheck/verify/prove"
)

// plainSpec has no feature that an engine does not support.
const plainSpec = `protocol plain "a message goes around"
param n: 2..5 = 3 "size"
topology directed ring of n
channel fifo
message Token
event done
process p = send right Token; recv left Token; done; stop
invariant always = true
`

// featureChanges adds each feature to plainSpec, by replacing parts of it.
var featureChanges = map[ir.Feature][]string{
	ir.FaultFeature:    {"channel fifo", "channel fifo, lossy at most 1"},
	ir.CrashFeature:    {"done; stop", "done; crash"},
	ir.TimeFeature:     {"channel fifo", "channel fifo, delay 0..1"},
	ir.CapacityFeature: {"channel fifo", "channel fifo of 2"},
	ir.SyncFeature:     {"channel fifo", "channel sync"},
	ir.RegisterFeature: {"event done", "event done\nregister r: bool = true"},
	ir.ReadFeature: {"event done", "event done\nregister r: bool = true", "= send right", "= when left.r: send right",
		"directed", "undirected"},
	ir.SharedFeature: {"event done", "event done\nshared turn: node = 0"},
	ir.GhostFeature:  {"event done", "event done\nghost g: bool = true"},
	ir.OwnerFeature: {"event done", "event done\nregister r: bool of first = true",
		"process p = ", "process first = recv left Token; stop\nprocess other[p in 1..n - 1] = "},
	ir.AnonymousFeature: {"directed ring", "anonymous star", "send right", "send 1", "recv left", "recv 1"},
}

// engineUses try each engine on a spec.
var engineUses = map[ir.Engine]func(ctx context.Context, sys *ringcheck.System) error{
	ir.InProofs: func(ctx context.Context, sys *ringcheck.System) error {
		_, err := prove.Prove(ctx, sys.Spec, nil, prove.Options{})
		return err
	},
	ir.InLogs: func(_ context.Context, sys *ringcheck.System) error {
		_, err := conform.New(sys)
		return err
	},
	ir.InReductions: func(ctx context.Context, sys *ringcheck.System) error {
		_, err := ringcheck.Explore(ctx, sys, ringcheck.Search{Reduction: ringcheck.OnTheFly})
		return err
	},
	ir.InPromela: exportsTo(export.Promela),
	ir.InMCRL2:   exportsTo(export.MCRL2),
}

func exportsTo(
	write func(context.Context, io.Writer, *ir.Protocol) error,
) func(ctx context.Context, sys *ringcheck.System) error {
	return func(ctx context.Context, sys *ringcheck.System) error {
		p, err := sys.Spec.Declarations.Instantiate(sys.Given)
		if err != nil {
			return err
		}
		return write(ctx, io.Discard, p)
	}
}

// TestFeatures checks that every engine refuses exactly the features that the table of features denies it.
func TestFeatures(t *testing.T) {
	for _, f := range ir.Features() {
		text := strings.NewReplacer(featureChanges[f]...).Replace(plainSpec)
		if text == plainSpec {
			t.Errorf("no spec has %v", f)
			continue
		}
		spec, err := ringcheck.Parse("plain.ring", []byte(text))
		if err != nil {
			t.Errorf("%v: %v", f, err)
			continue
		}
		sys, err := spec.System(nil)
		if err != nil {
			t.Errorf("%v: %v", f, err)
			continue
		}
		for _, e := range ir.Engines() {
			err := engineUses[e](t.Context(), sys)
			refused := err != nil && strings.HasSuffix(err.Error(), "are not supported "+e.String())
			if refused == f.SupportedBy(e) {
				t.Errorf("%v %v: supported: %v; error %v", f, e, f.SupportedBy(e), err)
			}
		}
	}
}

// TestFeatureTable checks the table of features in the documentation.
func TestFeatureTable(t *testing.T) {
	page := string(filetest.Read(t, "docs/language.md"))
	for _, f := range ir.Features() {
		row := "| " + f.String()
		for _, e := range ir.Engines() {
			row += " | " + map[bool]string{true: "yes", false: "no"}[f.SupportedBy(e)]
		}
		if row += " |\n"; !strings.Contains(page, row) {
			t.Errorf("docs/language.md lacks the row %s", row)
		}
	}
}
