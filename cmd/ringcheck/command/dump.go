package command

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck/explore"
	"ringcheck/model"
)

// dump is which states to show instead of exploring everything.
type dump struct {
	level int
	limit int
}

func (d *dump) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.IntVar(&d.level, "dump-level", 0, "show the states of BFS level `L`, from 0, and stop there")
	flags.IntVar(&d.limit, "dump-limit", 10, "show at most `N` states of that level")
	noFiles(cmd, "dump-level", "dump-limit")
}

// wanted reports whether states are to be shown.
func (d *dump) wanted(flags *pflag.FlagSet) bool { return flags.Changed("dump-level") }

// validate reports values that make no sense.
func (d *dump) validate(flags *pflag.FlagSet) error {
	switch {
	case d.wanted(flags) && d.level < 0:
		return wrongRequestf("--dump-level %d: levels count from 0", d.level)
	case d.wanted(flags) && d.limit < 1:
		return wrongRequestf("--dump-limit %d: want at least 1", d.limit)
	case !d.wanted(flags) && flags.Changed("dump-limit"):
		return wrongRequestf("--dump-limit needs --dump-level")
	}
	return nil
}

// A levelDump is what dump shows.
type levelDump struct {
	Spec     string        `json:"spec"`
	Params   settings      `json:"params"`
	Options  settings      `json:"options"`
	Level    int           `json:"level"`
	Complete bool          `json:"complete"` // the level was found in full
	Count    uint64        `json:"level_states"`
	States   []dumpedState `json:"states"`
}

// A dumpedState is one state of the level. States are numbered in the order in which they were found.
type dumpedState struct {
	ID    uint64    `json:"id"`
	Slots []content `json:"slots"`
}

// errLevelDone ends a walk at the first state behind the level that was asked for.
var errLevelDone = errors.New("the level is complete")

// collect walks to the level and gathers the first of its states. The result says whether the level was found
// in full.
func (d *dump) collect(ctx context.Context, p *printer, opt explore.Options) (*levelDump, *explore.Result, error) {
	found := &levelDump{Level: d.level, States: []dumpedState{}}
	result, err := explore.Walk(ctx, p.sys, opt, explore.Visitor{
		State: func(id uint64, level int, values []model.Value) error {
			if level > d.level {
				return errLevelDone
			}
			if level == d.level {
				found.Count++
				if len(found.States) < d.limit {
					found.States = append(found.States, dumpedState{id, p.contents(values, nil)})
				}
			}
			return nil
		},
	})
	if errors.Is(err, errLevelDone) {
		result, err = &explore.Result{Stop: explore.Exhausted}, nil
	}
	found.Complete = err == nil && result.Complete()
	return found, result, err
}

// text writes the states slot by slot.
func (l *levelDump) text(p *printer) string {
	var b strings.Builder
	fmt.Fprintln(&b, title(l.Spec, l.Params, l.Options))
	fmt.Fprintf(&b, "level %d: %s states, %d shown\n", l.Level, comma(l.Count), len(l.States))
	for _, s := range l.States {
		fmt.Fprintf(&b, "\n  state %d\n", s.ID)
		p.write(&b, s.Slots)
	}
	return b.String()
}
