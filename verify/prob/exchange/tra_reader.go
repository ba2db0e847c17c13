package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/internal/printable"
	"ringcheck/verify/prob"
)

// A Source opens the file whose name is the common beginning and a suffix. If the file does not exist, the error is
// fs.ErrNotExist.
type Source func(suffix string) (io.ReadCloser, error)

// A traReader reads PRISM's explicit files.
type traReader struct {
	*explicit
	name  string // the common beginning of the files' names
	open  Source
	chain bool     // rows do not name choices
	size  uint32   // the number of states
	of    []uint32 // by choice: its state
	last  uint32   // the number of the last choice in its state

	rewarded uint32 // the branch after the branch of the last row of a .trew
}

// A row takes rowBytes of memory, which are counted for heldAtOnce rows together.
const (
	rowBytes   = 16
	heldAtOnce = 1 << 10
)

// readPRISM reads the files of a process and lists what was assumed about it.
func readPRISM(f *effort.Effort, name string, open Source) (_ *prob.MDP, assumed []string, err error) {
	defer effort.Catch(&err)
	t := &traReader{explicit: newExplicit(f), name: name, open: open}
	t.read(".tra", t.transitions)
	if !t.read(".lab", t.readLabels) {
		t.initial.Add(0)
	}
	for i := 0; ; i++ { // x.trew and x.srew are the only reward, or there are x1.trew, x1.srew and so on
		number := ""
		if i > 0 {
			number = fmt.Sprint(i)
		}
		r := gain{name: "reward" + number}
		ofStates := t.read(number+".srew", func(l *lines) { t.readRewards(l, &r, &r.states, int(t.size)) })
		ofBranches := t.read(number+".trew", func(l *lines) { t.readRewards(l, &r, &r.branches, len(t.to)) })
		if ofStates || ofBranches {
			t.rewards = append(t.rewards, r)
		} else if i > 0 {
			break
		}
	}
	m, err := t.process()
	if err != nil {
		return nil, nil, fmt.Errorf("%s.tra: %w", name, err)
	}
	return m, t.assumed, nil
}

// read reads a file if it exists. The file of transitions must exist.
func (t *traReader) read(suffix string, read func(l *lines)) (found bool) {
	r, err := t.open(suffix)
	if errors.Is(err, fs.ErrNotExist) && suffix != ".tra" {
		return false
	}
	effort.Try(err)
	defer r.Close()
	read(newLines(t.Effort, t.name+suffix, r))
	return true
}

// A traRow is a row about a state, or a branch.
type traRow struct {
	state, choice, to uint32
	value             uint16 // a number of the table
}

// rows reads the rows after the head, about branches or states. The last number of the head is the number of rows.
func (t *traReader) rows(l *lines, head []uint32, branches bool, use func(r traRow)) {
	n := uint64(0)
	for ; l.next(); n++ {
		var r traRow
		parts := []*uint32{&r.state, &r.choice, &r.to}
		switch {
		case !branches:
			parts = parts[:1]
		case t.chain:
			parts = []*uint32{&r.state, &r.to}
		}
		for _, p := range parts {
			*p = l.smallNumber()
		}
		if r.state >= t.size || r.to >= t.size {
			l.fail("there are only %d states", t.size)
		}
		word := l.word()
		var err error
		r.value, err = t.numbers.add(t.Effort, word, func() (number, error) { return parseNumber(string(word)) })
		if err != nil {
			l.fail("%w", err)
		}
		use(r)
	}
	l.end()
	if want := uint64(head[len(head)-1]); n != want {
		refuse("%s: the file has %s; by the first line it should have %d", l.name, printable.Count(n, "row"), want)
	}
}

func (t *traReader) transitions(l *lines) {
	head := l.head()
	if len(head) < 2 || len(head) > 3 || head[0] == 0 {
		l.fail("expected the numbers of states, choices and transitions")
	}
	t.size, t.chain = head[0], len(head) == 2
	t.rows(l, head, true, func(r traRow) {
		if action := l.word(); len(l.rest) > 0 || len(action) > 0 && action[0] <= '9' {
			l.fail("only the name of an action can follow the probability")
		}
		t.add(l, r)
	})
	switch {
	case int64(t.size) > int64(len(t.to))+1<<16: // so that a small file cannot cause a large allocation
		refuse("%s: there are %d states, but only %d transitions: most states cannot be reached",
			l.name, t.size, len(t.to))
	case !t.chain && int(head[1]) != len(t.of):
		refuse("%s: there are %d choices; by the first line there should be %d", l.name, len(t.of), head[1])
	}
	t.branches = append(t.branches, uint32(len(t.to)))
	t.choices = make([]uint32, t.size+1)
	for _, s := range t.of {
		t.choices[s+1]++
	}
	for s := range t.size {
		t.choices[s+1] += t.choices[s]
	}
	t.initial, t.of = prob.NewSet(int(t.size)), nil
}

// add adds a branch, and a choice if the branch is its first. The choices of a state are numbered from 0, and the
// targets of a choice are distinct.
func (t *traReader) add(l *lines, r traRow) {
	if len(t.to)%heldAtOnce == 0 {
		t.Hold(heldAtOnce * rowBytes)
	}
	begun := len(t.of) > 0 && r.state == t.of[len(t.of)-1]
	first := !begun && r.choice == 0 && (len(t.of) == 0 || r.state > t.of[len(t.of)-1])
	switch {
	case begun && r.choice == t.last:
		to := t.to[t.branches[len(t.branches)-1]:]
		if r.to <= to[len(to)-1] && slices.Contains(to, r.to) { // they usually ascend
			l.fail("state %d, choice %d goes to state %d twice", r.state, r.choice, r.to)
		}
	case begun && r.choice == t.last+1, first:
		t.of, t.branches, t.last = append(t.of, r.state), append(t.branches, uint32(len(t.to))), r.choice
	default:
		l.fail("state %d, choice %d is out of order", r.state, r.choice)
	}
	t.to, t.weight = append(t.to, r.to), append(t.weight, r.value)
}

func (t *traReader) readLabels(l *lines) {
	sets := t.namedLabels(l)
	seen := prob.NewSet(int(t.size))
	for l.next() {
		state, list, ok := bytes.Cut(l.rest, []byte(":"))
		l.rest = state
		s := l.smallNumber()
		switch {
		case !ok || len(l.rest) > 0:
			l.fail("expected a state and its labels, such as 3: 0 2")
		case s >= t.size:
			l.fail("there are only %d states", t.size)
		case seen.Has(s):
			l.fail("state %d has a row already", s)
		}
		seen.Add(s)
		for l.rest = bytes.TrimSpace(list); len(l.rest) > 0; {
			label := l.smallNumber()
			set := sets[label]
			if set == nil {
				l.fail("there is no label %d", label)
			}
			if set.Has(s) {
				l.fail("state %d has label %d twice", s, label)
			}
			set.Add(s)
		}
	}
	l.end()
}

// namedLabels reads the first line, which numbers the labels, and returns the set of each.
func (t *traReader) namedLabels(l *lines) map[uint32]prob.Set {
	sets := make(map[uint32]prob.Set)
	for ok := l.next(); ok && len(l.rest) > 0; {
		label, quoted, ok := strings.Cut(string(l.word()), "=")
		n, err := strconv.ParseUint(label, 10, 32)
		if !ok || err != nil || len(quoted) < 3 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
			l.fail("expected labels such as 0=\"init\"")
		}
		name, set := quoted[1:len(quoted)-1], prob.NewSet(int(t.size))
		if sets[uint32(n)] != nil {
			l.fail("there are two labels %d", n)
		}
		t.Hold(uint64(t.size) / 8)
		sets[uint32(n)] = set
		t.labels = append(t.labels, prob.Label{Name: name, States: set})
	}
	if err := t.distinct(); err != nil {
		l.fail("%w", err)
	}
	t.labels = slices.DeleteFunc(t.labels, func(label prob.Label) bool {
		if label.Name == initialLabel {
			t.initial = label.States
		}
		return label.Name == initialLabel
	})
	return sets
}

// readRewards reads the rewards of the size states or branches. Those without a row have the reward 0.
func (t *traReader) readRewards(l *lines, to *gain, list *[]uint16, size int) {
	l.onComment = func(comment string) {
		if _, name, ok := strings.Cut(comment, "Reward structure "); ok {
			to.name = strings.Trim(name, `"`)
		}
	}
	branches := list == &to.branches
	want := []uint32{t.size}
	if branches && !t.chain {
		want = append(want, uint32(len(t.branches)-1))
	}
	head := l.head()
	if len(head) != len(want)+1 || !slices.Equal(head[:len(want)], want) {
		l.fail("expected %s, as in the .tra file, and the number of rows", strings.Trim(fmt.Sprint(want), "[]"))
	}
	t.Hold(2 * uint64(size))
	*list = make([]uint16, size)
	t.rows(l, head, branches, func(r traRow) {
		at := r.state
		if branches {
			at = t.branch(l, r)
		}
		if len(l.rest) > 0 || (*list)[at] != 0 {
			l.fail("there is text after the reward, or a second row for it")
		}
		(*list)[at] = r.value
	})
}

// branch returns the index of the branch that a row is about.
func (t *traReader) branch(l *lines, r traRow) uint32 {
	c := t.choices[r.state] + r.choice
	if r.choice >= t.choices[r.state+1]-t.choices[r.state] {
		l.fail("state %d has no choice %d", r.state, r.choice)
	}
	first, end := t.branches[c], t.branches[c+1]
	b := t.rewarded // rows are usually in the order of the branches
	if b < first || b >= end || t.to[b] != r.to {
		i := slices.Index(t.to[first:end], r.to)
		if i < 0 {
			l.fail("state %d, choice %d does not go to state %d", r.state, r.choice, r.to)
		}
		b = first + uint32(i)
	}
	t.rewarded = b + 1
	return b
}
