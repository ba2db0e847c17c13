package command

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"syscall"

	"github.com/spf13/cobra"

	"ringcheck/explore"
	"ringcheck/lts"
	"ringcheck/model"
)

// output is the file that the transitions are written to.
type output struct {
	path         string
	hideInternal bool
}

func (o *output) register(cmd *cobra.Command) {
	o.registerPath(cmd, "write the transition system to `FILE`")
	cmd.Flags().BoolVar(&o.hideInternal, "hide-internal", false, "in --out, write τ for all but visible events")
}

// registerPath gives cmd the flag --out only.
func (o *output) registerPath(cmd *cobra.Command, usage string) {
	cmd.Flags().StringVar(&o.path, "out", "", usage+", by its ending .aut (Aldebaran) or .dot (Graphviz)")
	must(cmd.MarkFlagFilename("out", "aut", "dot"))
}

func (o *output) validate() error {
	switch ext := filepath.Ext(o.path); {
	case o.path == "" && o.hideInternal:
		return wrongRequestf("--hide-internal needs --out")
	case o.path != "" && ext != ".aut" && ext != ".dot":
		return wrongRequestf("--out %s: the file name must end in .aut or .dot", o.path)
	}
	return nil
}

// write explores sys and writes its transitions to the file, which gets its name only if the exploration is
// complete. An error with a result means that the file could not be written; the numbers are those so far.
func (o *output) write(ctx context.Context, sys model.System, opt explore.Options) (*explore.Result, error) {
	file, err := replaceFile(o.path)
	if err != nil {
		return nil, o.cannotCreate(err)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	g := &graph{
		sys: sys, out: o.writer(file), hideInternal: o.hideInternal, labels: make(map[model.Label]string), cancel: cancel,
	}
	result, err := explore.Walk(ctx, sys, opt, explore.Visitor{State: g.state, Transitions: g.transitions})
	if g.err != nil {
		err = writeError(g.err)
	}
	if err != nil || !result.Complete() {
		file.discard()
		return result, err
	}
	if err := g.close(result.States); err != nil {
		file.discard()
		return result, writeError(err)
	}
	if err := file.commit(); err != nil {
		return result, writeError(err)
	}
	return result, nil
}

// save writes a system to the file.
func (o *output) save(l *lts.LTS) error {
	file, err := replaceFile(o.path)
	if err != nil {
		return o.cannotCreate(err)
	}
	if err := l.Write(o.writer(file)); err != nil {
		file.discard()
		return writeError(err)
	}
	if err := file.commit(); err != nil {
		return writeError(err)
	}
	return nil
}

// writer returns a writer in the format of the file.
func (o *output) writer(file *replacement) lts.Writer {
	if filepath.Ext(o.path) == ".aut" {
		return lts.NewAutWriter(file)
	}
	return lts.NewDotWriter(file)
}

func (o *output) cannotCreate(err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return writeError(err)
	}
	return wrongRequestf("--out: %w", err)
}

// writeError says that the file could not be written.
func writeError(err error) error { return stopped(fmt.Errorf("--out: %w", err)) }

// A graph passes the transitions of a system on to a writer.
type graph struct {
	sys          model.System
	out          lts.Writer
	hideInternal bool
	labels       map[model.Label]string
	initial      []uint64
	cancel       func() // ends the walk once err is set, so that its numbers so far are known
	err          error
}

func (g *graph) state(id uint64, level int, _ []model.Value) error {
	if level == 0 {
		g.initial = append(g.initial, id)
	}
	return nil
}

func (g *graph) transitions(from uint64, all []explore.Transition) error {
	for _, t := range all {
		if g.err != nil {
			break
		}
		if g.err = g.out.Transition(from, g.label(t.Label), t.To); g.err != nil {
			g.cancel()
		}
	}
	return nil
}

func (g *graph) label(l model.Label) string {
	text, ok := g.labels[l]
	if !ok {
		info := g.sys.Label(l)
		text = info.Text
		if g.hideInternal && !info.Visible {
			text = lts.TauName
		}
		g.labels[l] = text
	}
	return text
}

// close completes the file. The formats know one initial state: if there are several, one more state comes
// before them, with a τ to each.
func (g *graph) close(states uint64) error {
	if len(g.initial) == 1 {
		return g.out.Close(g.initial[0], states)
	}
	for _, s := range g.initial {
		if err := g.out.Transition(states, lts.TauName, s); err != nil {
			return err
		}
	}
	return g.out.Close(states, states+1)
}
