package experiment

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"ringcheck/explore"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A Verdict says whether a property holds.
type Verdict struct {
	Holds bool `json:"holds"`
	// TraceLength is the number of steps of a shortest run to a state that violates the property.
	TraceLength int `json:"trace_length,omitempty"`
}

func (v Verdict) String() string {
	if v.Holds {
		return "holds"
	}
	return fmt.Sprintf("violated after %d steps", v.TraceLength)
}

// CheckProperties reports a name that is no property of the instance. Properties are decided on the full system.
func (i *Instance) CheckProperties(names []string) error {
	if len(names) > 0 && (i.Reduction != NoReduction || i.Symmetry != NoSymmetry || i.Assume != NoAssumption) {
		return fmt.Errorf("properties: they are decided on the full system, without reduction, assumption or symmetry")
	}
	var known []string
	for _, p := range i.Protocol.Properties {
		known = append(known, p.Name)
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("properties: %q is not one of %s", name, strings.Join(known, ", "))
		}
	}
	return nil
}

// decide decides properties of a system; what has no verdict, because a search stopped early, is left out.
func (i *Instance) decide(ctx context.Context, sys *compile.System, opt explore.Options, names []string) (map[string]Verdict, error) {
	var chosen []*ir.Property
	for _, p := range i.Protocol.Properties {
		if slices.Contains(names, p.Name) {
			chosen = append(chosen, p)
		}
	}
	report, err := verify.Check(ctx, sys, chosen, opt)
	if err != nil {
		return nil, fmt.Errorf("deciding properties: %w", err)
	}
	verdicts := make(map[string]Verdict)
	for _, v := range report.Verdicts {
		switch v.Outcome {
		case verify.Holds:
			verdicts[v.Property.Name] = Verdict{Holds: true}
		case verify.Violated:
			verdicts[v.Property.Name] = Verdict{TraceLength: v.Level}
		}
	}
	return verdicts, nil
}
