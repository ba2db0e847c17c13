package exchange

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/verify/prob"
)

// A File is one of several that belong together; its name is a common base followed by the suffix.
type File struct {
	Suffix string
	Write  func(w io.Writer) error
}

// PRISM returns the files of a process in PRISM's explicit format: .tra, .lab, and a .trew for each reward. If there
// are several rewards, a number comes before .trew. If exact, numbers other than integers are fractions, which PRISM
// reads with -exact.
func PRISM(ctx context.Context, m *prob.MDP, exact bool) (files []File, err error) {
	defer effort.Catch(&err)
	x := flatten(ctx, m)
	t := &traWriter{explicit: x, numbers: []string{"0"}}
	for _, n := range x.numbers.list[1:] {
		t.numbers = append(t.numbers, decimal(n.text, exact))
	}
	files = []File{{".tra", t.file(t.transitions)}, {".lab", t.file(t.states)}}
	names := newNames()
	for i := range m.Rewards {
		suffix, name := ".trew", names.unique(m.Rewards[i].Name)
		if len(m.Rewards) > 1 {
			suffix = fmt.Sprintf("%d.trew", i+1)
		}
		files = append(files, File{suffix, t.file(func(w *bufio.Writer) { t.reward(w, name, x.rewards[i].choices) })})
	}
	return files, nil
}

type traWriter struct {
	*explicit
	numbers []string
}

func (t *traWriter) file(write func(w *bufio.Writer)) func(w io.Writer) error {
	return func(w io.Writer) (err error) {
		defer effort.Catch(&err)
		out := bufio.NewWriter(w)
		write(out)
		return out.Flush()
	}
}

// eachBranch calls write with every branch, its state, and the number of its choice there.
func (t *traWriter) eachBranch(write func(s, number, c, branch uint32)) {
	for s := range uint32(len(t.choices) - 1) {
		for c := t.choices[s]; c < t.choices[s+1]; c++ {
			for b := t.branches[c]; b < t.branches[c+1]; b++ {
				t.Tick()
				write(s, c-t.choices[s], c, b)
			}
		}
	}
}

func (t *traWriter) transitions(out *bufio.Writer) {
	fmt.Fprintln(out, len(t.choices)-1, len(t.branches)-1, len(t.to))
	t.eachBranch(func(s, n, _, b uint32) { fmt.Fprintln(out, s, n, t.to[b], t.numbers[t.weight[b]]) })
}

// states writes which states are initial and which have labels.
func (t *traWriter) states(out *bufio.Writer) {
	sets := append([]prob.Label{{Name: initialLabel, States: t.initial}}, t.labels...)
	names := newNames()
	for i, l := range sets {
		name := l.Name
		if i > 1 {
			name = names.unique(name)
		}
		fmt.Fprintf(out, "%s%d=\"%s\"", " "[:min(i, 1)], i, name)
	}
	fmt.Fprintln(out)
	for s := range uint32(len(t.choices) - 1) {
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
}

// reward writes the rewards of choices: all branches of a choice have the same.
func (t *traWriter) reward(out *bufio.Writer, name string, values []uint16) {
	rows := uint32(0)
	for c, n := range values {
		if t.numbers[n] != "0" {
			rows += t.branches[c+1] - t.branches[c]
		}
	}
	fmt.Fprintf(out, "# Reward structure \"%s\"\n# Transition rewards\n", name)
	fmt.Fprintln(out, len(t.choices)-1, len(t.branches)-1, rows)
	t.eachBranch(func(s, n, c, b uint32) {
		if value := t.numbers[values[c]]; value != "0" {
			fmt.Fprintln(out, s, n, t.to[b], value)
		}
	})
}

// keywords are the reserved words of PRISM's language (the manual, "Model Files"), which cannot name labels or rewards.
var keywords = strings.Fields(`A bool clock const ctmc C double dtmc E endinit endinvariant endmodule endobservables
	endrewards endsystem false formula filter func F global G init invariant I int label lts max mdp min module X
	nondeterministic observable observables of Pmax Pmin P pomdp popta probabilistic prob pta rate rewards Rmax Rmin R S
	stochastic system true U W`)

// A names is the set of the identifiers of PRISM's language that are taken.
type names map[string]bool

// newNames returns the names that have a meaning to PRISM.
func newNames() names {
	n := names{initialLabel: true, deadlockLabel: true}
	for _, word := range keywords {
		n[word] = true
	}
	return n
}

// unique returns an identifier that is similar to a text and not taken, and takes it.
func (n names) unique(text string) string {
	name := strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return '_'
	}, text)
	if name == "" || name[0] >= '0' && name[0] <= '9' {
		name = "_" + name
	}
	for n[name] {
		name += "_"
	}
	n[name] = true
	return name
}
