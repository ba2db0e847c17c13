package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/machine"
	"ringcheck/scale/level"
)

// subject is a SPEC with its settings, of commands that do not search on a cluster.
type subject struct {
	settings []string
	symmetry string
}

func (s *subject) register(cmd *cobra.Command) {
	cmd.Args = cobra.ExactArgs(1)
	cmd.Flags().StringArrayVarP(&s.settings, "param", "p", nil, "set a parameter or option of the spec: `NAME=VALUE`")
	cmd.Flags().StringVar(&s.symmetry, "symmetry", "none", "`KIND` of symmetry, none|rotation")
}

func (s *subject) load(name string) (*ringcheck.System, error) {
	set := make(ringcheck.Set)
	for _, setting := range s.settings {
		name, value, ok := strings.Cut(setting, "=")
		if !ok {
			return nil, refuse("param", setting, "want NAME=VALUE")
		}
		set[name] = value
	}
	return ringcheck.Load(name, set)
}

// calibrateCommand measures what a search takes on this machine.
func calibrateCommand() *cobra.Command {
	var about subject
	var shards int
	cmd := &cobra.Command{
		Use:     "calibrate SPEC",
		Short:   "Measure what a search takes, for plan",
		Long:    "Explore a protocol in this process, without a runner, and write what a transition and a state take as JSON, for plan --costs.",
		Example: "  ringcheck-beam calibrate franklin -p n=4 -p k=3 > costs.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			sys, err := about.load(args[0])
			if err != nil {
				return err
			}
			costs, err := about.calibrate(cmd.Context(), sys, shards)
			if err != nil {
				return err
			}
			return json.NewEncoder(cmd.OutOrStdout()).Encode(costs)
		},
	}
	about.register(cmd)
	cmd.Flags().IntVar(&shards, "shards", 2, "divide states into `N` parts: few, so that they are as full as those of a larger search")
	return cmd
}

func (s *subject) calibrate(ctx context.Context, sys *ringcheck.System, shards int) (*level.Costs, error) {
	if shards < 1 || shards > maxShards {
		return nil, refuse("shards", fmt.Sprint(shards), "want 1 to %d", maxShards)
	}
	var costs level.Costs
	err := s.trial(ctx, sys, shards, func(searched *level.System) (err error) {
		costs, err = level.Calibrate(ctx, searched, machine.CPU)
		return err
	})
	costs.About = fmt.Sprintf("%s, symmetry %s, %d shards", sys.Title(), s.symmetry, shards)
	return &costs, err
}

// trial does something with a system that is searched in a folder of this machine, which is removed.
func (s *subject) trial(ctx context.Context, sys *ringcheck.System, shards int, do func(*level.System) error) error {
	if s.symmetry != "none" && s.symmetry != string(ringcheck.Rotation) {
		return refuse("symmetry", s.symmetry, "want none or rotation")
	}
	p, err := sys.Prepare(ctx, ringcheck.Options{Symmetry: ringcheck.Symmetry(s.symmetry)})
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ringcheck-trial-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	searched, err := level.NewSystem(p.Searched, shards, level.Folder(dir), nil)
	if err != nil {
		return err
	}
	return do(searched)
}

// A plan is what a search will take.
type plan struct {
	subject
	costs                       string
	states, transitions, levels float64
	shards                      float64
	vcpu, use, beam, perLevel   float64
	asJSON                      bool
}

// planCommand predicts what a search takes on a cluster.
func planCommand() *cobra.Command {
	p := new(plan)
	cmd := &cobra.Command{
		Use:   "plan SPEC --states N --costs FILE",
		Short: "Predict the hours and bytes that a search takes on a cluster",
		Long: "Predict what a search takes from what calibrate has measured. How many states and levels there are has to be known or guessed:\n" +
			"ringcheck sweep says how they grow, and --engine symbolic can often count them.",
		Example: "  ringcheck-beam plan franklin -p n=8 -p k=2 --states 1.931e11 --levels 175 --vcpu 256 --costs costs.json",
		RunE: func(cmd *cobra.Command, args []string) error {
			sys, err := p.load(args[0])
			if err != nil {
				return err
			}
			return p.run(cmd.Context(), sys, cmd.OutOrStdout())
		},
	}
	p.register(cmd)
	flags := cmd.Flags()
	flags.StringVar(&p.costs, "costs", "", "`FILE` that calibrate has written")
	flags.Float64Var(&p.states, "states", 0, "`N` states")
	flags.Float64Var(&p.transitions, "transitions", 0, "`N` transitions (default: as many for each state as in the first million)")
	flags.Float64Var(&p.levels, "levels", 100, "`N` levels")
	flags.Float64Var(&p.shards, "shards", 0, "`N` shards (default: four for each processor)")
	flags.Float64Var(&p.vcpu, "vcpu", 64, "`N` processors, as the machine that was measured has")
	flags.Float64Var(&p.use, "use", 0.7, "`SHARE` of the time in which they have work")
	flags.Float64Var(&p.beam, "overhead", 1.2, "`FACTOR` for what Beam's SDK does in a worker")
	flags.Float64Var(&p.perLevel, "level-seconds", 20, "`SECONDS` that a level takes even if it is small")
	flags.BoolVar(&p.asJSON, "json", false, "write one JSON object")
	return cmd
}

// sampled is how many states say what the others are like.
const sampled = 1e6

// A forecast is what plan prints.
type forecast struct {
	States      float64 `json:"states"`
	Transitions float64 `json:"transitions"`
	CPUSeconds  float64 `json:"cpu_seconds"` // of all workers
	Hours       float64 `json:"hours"`
	Shuffled    float64 `json:"shuffled_bytes"`
	Kept        float64 `json:"kept_bytes"`
}

func (p *plan) run(ctx context.Context, sys *ringcheck.System, out io.Writer) error {
	for name, value := range map[string]float64{"states": p.states, "levels": p.levels, "vcpu": p.vcpu, "use": p.use, "overhead": p.beam} {
		if !(value > 0) {
			return refuse(name, fmt.Sprint(value), "want a number above 0")
		}
	}
	data, err := os.ReadFile(p.costs)
	if err != nil {
		return refuse("costs", p.costs, "write the file with calibrate: %w", err)
	}
	var costs level.Costs
	if err := json.Unmarshal(data, &costs); err != nil || costs.PerGenerated <= 0 {
		return refuse("costs", p.costs, "it is not what calibrate writes")
	}
	if p.shards <= 0 {
		p.shards = 4 * p.vcpu
	}
	var takes level.Forecast
	err = p.trial(ctx, sys, 1, func(searched *level.System) error {
		some, err := searched.Sample(ctx, sampled)
		if p.transitions <= 0 {
			p.transitions = p.states * some.Transitions
		}
		takes = costs.Of(level.Extent{
			States: p.states / some.Alike, Generated: p.transitions * some.Generated, Levels: p.levels, Shards: p.shards, Slots: float64(searched.Slots()),
		})
		return err
	})
	if err != nil {
		return err
	}
	f := forecast{States: p.states, Transitions: p.transitions, CPUSeconds: takes.Seconds, Shuffled: takes.Shuffled, Kept: takes.Kept}
	f.CPUSeconds *= p.beam
	f.Hours = (f.CPUSeconds/(p.vcpu*p.use) + p.levels*p.perLevel) / 3600
	if p.asJSON {
		return json.NewEncoder(out).Encode(f)
	}
	_, err = fmt.Fprintf(out, "%s\nfrom what was measured of %s\n\n"+
		"  states                    %.3g\n  transitions               %.3g\n  processor time            %.3g h\n  time, %4.0f processors     %.3g h\n"+
		"  shuffled                  %s\n  kept                      %s\n",
		sys.Title(), costs.About, f.States, f.Transitions, f.CPUSeconds/3600, p.vcpu, f.Hours, humanize.Bytes(uint64(f.Shuffled)), humanize.Bytes(uint64(f.Kept)))
	return err
}
