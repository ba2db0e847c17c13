package exchange

import (
	"bufio"
	"context"
	"fmt"
	"io"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// A File is one of several that belong together; its name is a common beginning and the suffix.
type File struct {
	Suffix string
	Write  func(w io.Writer) error
}

// PRISM returns the files of a process in PRISM's explicit format: .tra, .lab, and a .trew for each reward. If there are several rewards, a number
// comes before .trew. With exact, numbers are fractions where need be, which PRISM reads with -exact.
func PRISM(ctx context.Context, m *prob.MDP, exact bool) ([]File, error) {
	c, err := newClosed(ctx, m)
	if err != nil {
		return nil, err
	}
	t := &traWriter{c, exact}
	files := []File{{".tra", t.transitions}, {".lab", t.labels}}
	names := newNames()
	for i := range m.Rewards {
		suffix, name := ".trew", names.unique(m.Rewards[i].Name)
		if len(m.Rewards) > 1 {
			suffix = fmt.Sprintf("%d.trew", i+1)
		}
		files = append(files, File{suffix, func(w io.Writer) error { return t.reward(w, name, &m.Rewards[i]) }})
	}
	return files, nil
}

type traWriter struct {
	closed
	exact bool
}

func (t *traWriter) transitions(w io.Writer) (err error) {
	defer effort.Catch(&err)
	choices, branches := t.counts()
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, t.States(), choices, branches)
	t.all(func(s uint32, n int, choice []prob.Branch) {
		for _, b := range merged(choice) {
			fmt.Fprintln(out, s, n, b.To, decimal(b.Weight.Rat(), t.exact))
		}
	})
	return out.Flush()
}

// labels writes which states are initial and which have labels.
func (t *traWriter) labels(w io.Writer) (err error) {
	defer effort.Catch(&err)
	out := bufio.NewWriter(w)
	sets := append([]prob.Label{{Name: initialLabel, States: t.initial()}}, t.sets()...)
	names := newNames()
	for i, l := range sets {
		name := l.Name
		if i > 1 {
			name = names.unique(name)
		}
		fmt.Fprintf(out, "%s%d=\"%s\"", " "[:min(i, 1)], i, name)
	}
	fmt.Fprintln(out)
	for s := range uint32(t.States()) {
		t.Tick()
		text := ""
		for i, l := range sets {
			if l.States.Has(s) {
				text += fmt.Sprint(" ", i)
			}
		}
		if text != "" {
			fmt.Fprintf(out, "%d:%s\n", s, text)
		}
	}
	return out.Flush()
}

// reward writes the rewards of choices: all branches of one have the same.
func (t *traWriter) reward(w io.Writer, name string, r *prob.Reward) (err error) {
	defer effort.Catch(&err)
	choices, _ := t.counts()
	lines := 0
	t.all(func(_ uint32, _ int, choice []prob.Branch) {
		if mean(r, choice).Sign() != 0 {
			lines += len(merged(choice))
		}
	})
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Reward structure \"%s\"\n# Transition rewards\n", name)
	fmt.Fprintln(out, t.States(), choices, lines)
	t.all(func(s uint32, n int, choice []prob.Branch) {
		if value := mean(r, choice); value.Sign() != 0 {
			for _, b := range merged(choice) {
				fmt.Fprintln(out, s, n, b.To, decimal(value, t.exact))
			}
		}
	})
	return out.Flush()
}
