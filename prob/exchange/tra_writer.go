package exchange

import (
	"bufio"
	"fmt"
	"io"

	"ringcheck/prob"
)

// A File is one of several that belong together; its name is a common beginning and the suffix.
type File struct {
	Suffix string
	Write  func(w io.Writer) error
}

// PRISM returns the files of a process in PRISM's explicit format: .tra, .lab, and a .trew for each reward. If there are several rewards, a number
// comes before .trew. With exact, numbers are fractions where need be, which PRISM reads with -exact.
func PRISM(m *prob.MDP, exact bool) []File {
	t := &traWriter{m, exact}
	files := []File{{".tra", t.transitions}, {".lab", t.labels}}
	for i := range m.Rewards {
		suffix := ".trew"
		if len(m.Rewards) > 1 {
			suffix = fmt.Sprintf("%d.trew", i+1)
		}
		files = append(files, File{suffix, func(w io.Writer) error { return t.rewards(w, i) }})
	}
	return files
}

type traWriter struct {
	m     *prob.MDP
	exact bool
}

// each calls yield with every choice, its state and its number there.
func (t *traWriter) each(yield func(s uint32, choice int, branches []branch)) {
	for s := range uint32(t.m.States()) {
		n := 0
		t.m.Each(s, func(choice []prob.Branch) {
			yield(s, n, merged(t.m, choice))
			n++
		})
	}
}

func (t *traWriter) transitions(w io.Writer) error {
	branches := 0
	t.each(func(_ uint32, _ int, list []branch) { branches += len(list) })
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, t.m.States(), t.m.Choices(), branches)
	t.each(func(s uint32, n int, list []branch) {
		for _, b := range list {
			fmt.Fprintln(out, s, n, b.to, decimal(b.weight, t.exact))
		}
	})
	return out.Flush()
}

// labels writes which states are initial, have no transitions, or have labels.
func (t *traWriter) labels(w io.Writer) error {
	out := bufio.NewWriter(w)
	fmt.Fprint(out, `0="init" 1="deadlock"`)
	for i, l := range t.m.Labels {
		fmt.Fprintf(out, " %d=%s", i+2, quoted(l.Name))
	}
	fmt.Fprintln(out)
	initial := prob.NewSet(t.m.States())
	for _, s := range t.m.Initial() {
		initial.Add(s)
	}
	for s := range uint32(t.m.States()) {
		text := ""
		if initial.Has(s) {
			text += " 0"
		}
		if t.m.Terminal(s) {
			text += " 1"
		}
		for i, l := range t.m.Labels {
			if l.States.Has(s) {
				text += fmt.Sprint(" ", i+2)
			}
		}
		if text != "" {
			fmt.Fprintf(out, "%d:%s\n", s, text)
		}
	}
	return out.Flush()
}

func (t *traWriter) rewards(w io.Writer, r int) error {
	nonzero := 0
	t.each(func(_ uint32, _ int, list []branch) {
		for _, b := range list {
			nonzero += b.rewards[r].Sign()
		}
	})
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "# Reward structure %s\n# Transition rewards\n", quoted(t.m.Rewards[r].Name))
	fmt.Fprintln(out, t.m.States(), t.m.Choices(), nonzero)
	t.each(func(s uint32, n int, list []branch) {
		for _, b := range list {
			if b.rewards[r].Sign() > 0 {
				fmt.Fprintln(out, s, n, b.to, decimal(b.rewards[r], t.exact))
			}
		}
	})
	return out.Flush()
}
