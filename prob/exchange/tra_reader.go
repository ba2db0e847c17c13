package exchange

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"sort"
	"strconv"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/internal/printable"
	"ringcheck/prob"
)

// A Source opens the file whose name is the common beginning and a suffix. If there is none, the error is fs.ErrNotExist.
type Source func(suffix string) (io.ReadCloser, error)

// A traReader reads PRISM's explicit files.
type traReader struct {
	explicit
	name  string   // the common beginning of the files' names
	chain bool     // rows do not name choices
	size  uint32   // the number of states
	of    []uint32 // by choice: its state
	last  uint32   // the number of the last choice in its state
}

// rowBytes is what a row takes while it is held. It is counted for many at once.
const (
	rowBytes   = 16
	heldAtOnce = 1 << 10
)

// readPRISM reads the files of a process.
func readPRISM(f *effort.Effort, name string, open Source) (*prob.MDP, []string, error) {
	t := &traReader{explicit: newExplicit(f), name: name}
	if _, err := with(open, ".tra", t.transitions); err != nil {
		return nil, nil, err
	}
	if found, err := with(open, ".lab", t.readLabels); err != nil {
		return nil, nil, err
	} else if !found {
		t.initial.Add(0)
	}
	for i := 0; ; i++ { // x.trew and x.srew are the only reward, or there are x1.trew, x1.srew and so on
		number := ""
		if i > 0 {
			number = fmt.Sprint(i)
		}
		r := gain{name: fmt.Sprint("reward", number)}
		a, err := with(open, number+".srew", func(suffix string, in io.Reader) error { return t.readRewards(&r, suffix, in, false) })
		if err != nil {
			return nil, nil, err
		}
		b, err := with(open, number+".trew", func(suffix string, in io.Reader) error { return t.readRewards(&r, suffix, in, true) })
		if err != nil {
			return nil, nil, err
		}
		if a || b {
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

// with reads a file if there is one. That with the transitions there must be.
func with(open Source, suffix string, read func(suffix string, r io.Reader) error) (bool, error) {
	r, err := open(suffix)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && suffix != ".tra" {
			return false, nil
		}
		return false, err
	}
	defer r.Close()
	return true, read(suffix, r)
}

// head reads the first line, which has so many numbers.
func (t *traReader) head(l *lines, least, most int) ([]uint32, error) {
	if !l.next() {
		return nil, cmp.Or(l.end(), fmt.Errorf("%s: the file is empty", l.name))
	}
	head, err := l.wholes()
	if err != nil || len(head) < least || len(head) > most || head[0] == 0 {
		return nil, l.fail("want the numbers of states%s and rows", map[bool]string{true: ", choices"}[most > 2])
	}
	return head, nil
}

// others reads the other lines, of which there must be so many.
func (t *traReader) others(l *lines, want uint32, row func() error) error {
	n := uint32(0)
	for ; l.next(); n++ {
		if err := row(); err != nil {
			return err
		}
	}
	if err := l.end(); err != nil {
		return err
	}
	if n != want {
		return fmt.Errorf("%s: the file has %s; by the first line it should have %d", l.name, printable.Count(uint64(n), "row"), want)
	}
	return nil
}

// number reads the number that ends a row, as one of the table.
func (t *traReader) number(l *lines) (uint16, error) {
	word := l.word()
	n, err := t.numbers.add(t.Effort, word, func() (number, error) { return parseNumber(string(word)) })
	if err != nil {
		return 0, l.fail("%w", err)
	}
	return n, nil
}

func (t *traReader) transitions(suffix string, r io.Reader) error {
	l := newLines(t.Effort, t.name+suffix, r)
	head, err := t.head(l, 2, 3)
	if err != nil {
		return err
	}
	t.size, t.chain = head[0], len(head) == 2
	if err := t.others(l, head[len(head)-1], func() error { return t.transition(l) }); err != nil {
		return err
	}
	if err := plausible(t.size, len(t.to)); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	if !t.chain && int(head[1]) != len(t.of) {
		return fmt.Errorf("%s: there are %d choices; by the first line there should be %d", l.name, len(t.of), head[1])
	}
	if err := t.sortChoice(l); err != nil {
		return err
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
	return nil
}

// place reads the state and the choice that a row begins with, which is 0 in a chain.
func (t *traReader) place(l *lines) (state, choice uint32, err error) {
	if state, err = l.whole(); err == nil && !t.chain {
		choice, err = l.whole()
	}
	if err == nil && state >= t.size {
		err = l.fail("there are only %d states", t.size)
	}
	return state, choice, err
}

// transition reads "state choice target probability", behind which an action may stand.
func (t *traReader) transition(l *lines) error {
	state, choice, err := t.place(l)
	if err != nil {
		return err
	}
	target, err := l.whole()
	if err != nil {
		return err
	}
	if target >= t.size {
		return l.fail("there are only %d states", t.size)
	}
	weight, err := t.number(l)
	if err != nil {
		return err
	}
	if action := l.word(); len(l.rest) > 0 || len(action) > 0 && action[0] <= '9' {
		return l.fail("want %s and a probability, and no more than the name of an action behind it", map[bool]string{true: "a state, a target", false: "a state, a choice, a target"}[t.chain])
	}
	if len(t.to)%heldAtOnce == 0 {
		t.Hold(heldAtOnce * rowBytes)
	}
	begun := len(t.of) > 0 && state == t.of[len(t.of)-1]
	switch {
	case begun && choice == t.last:
	case begun && choice == t.last+1, !begun && choice == 0 && (len(t.of) == 0 || state > t.of[len(t.of)-1]):
		if err := t.sortChoice(l); err != nil {
			return err
		}
		t.of, t.branches, t.last = append(t.of, state), append(t.branches, uint32(len(t.to))), choice
	default:
		return l.fail("state %d, choice %d is out of order", state, choice)
	}
	t.to, t.weight = append(t.to, target), append(t.weight, weight)
	return nil
}

// sortChoice brings the branches of the last choice into the order of their targets, each of which there may be once.
func (t *traReader) sortChoice(l *lines) error {
	if len(t.of) == 0 {
		return nil
	}
	first := t.branches[len(t.branches)-1]
	to := t.to[first:]
	if !slices.IsSorted(to) {
		sort.Sort(byTarget{to, t.weight[first:]})
	}
	for i := range to[1:] {
		if to[i] == to[i+1] {
			return fmt.Errorf("%s: state %d, choice %d goes to state %d twice", l.name, t.of[len(t.of)-1], t.last, to[i])
		}
	}
	return nil
}

// byTarget sorts the branches of a choice.
type byTarget struct {
	to     []uint32
	weight []uint16
}

func (b byTarget) Len() int           { return len(b.to) }
func (b byTarget) Less(i, j int) bool { return b.to[i] < b.to[j] }
func (b byTarget) Swap(i, j int) {
	b.to[i], b.to[j] = b.to[j], b.to[i]
	b.weight[i], b.weight[j] = b.weight[j], b.weight[i]
}

func (t *traReader) readLabels(suffix string, r io.Reader) error {
	l := newLines(t.Effort, t.name+suffix, r)
	sets, names := map[uint32]prob.Set{}, map[string]bool{}
	if l.next() {
		for len(l.rest) > 0 {
			label, quoted, ok := strings.Cut(string(l.word()), "=")
			n, err := strconv.ParseUint(label, 10, 32)
			if !ok || err != nil || len(quoted) < 3 || quoted[0] != '"' || quoted[len(quoted)-1] != '"' {
				return l.fail("want labels such as 0=\"init\"")
			}
			name := quoted[1 : len(quoted)-1]
			if sets[uint32(n)] != nil || names[name] {
				return l.fail("there are two labels %d, or two of the name %s", n, name)
			}
			t.Hold(uint64(t.size) / 8)
			names[name], sets[uint32(n)] = true, prob.NewSet(int(t.size))
			if name == initialLabel {
				t.initial = sets[uint32(n)]
			} else {
				t.labels = append(t.labels, prob.Label{Name: name, States: sets[uint32(n)]})
			}
		}
	}
	seen := prob.NewSet(int(t.size))
	for l.next() {
		state, list, ok := bytes.Cut(l.rest, []byte(":"))
		if l.rest = state; !ok {
			return l.fail("want a state and its labels, such as 3: 0 2")
		}
		s, err := l.whole()
		switch {
		case err != nil:
			return err
		case s >= t.size:
			return l.fail("there are only %d states", t.size)
		case seen.Has(s):
			return l.fail("state %d has a row already", s)
		}
		seen.Add(s)
		l.rest = bytes.TrimSpace(list)
		labels, err := l.wholes()
		if err != nil {
			return err
		}
		for _, label := range labels {
			switch {
			case sets[label] == nil:
				return l.fail("there is no label %d", label)
			case sets[label].Has(s):
				return l.fail("state %d has label %d twice", s, label)
			}
			sets[label].Add(s)
		}
	}
	return l.end()
}

// readRewards reads the rewards of states, or those of branches. What there is no row for is 0.
func (t *traReader) readRewards(to *gain, suffix string, r io.Reader, ofBranches bool) error {
	l := newLines(t.Effort, t.name+suffix, r)
	l.heard = func(comment string) {
		if _, name, ok := strings.Cut(comment, "Reward structure "); ok {
			to.name = strings.Trim(name, `"`)
		}
	}
	numbers, list := 2, &to.states
	if ofBranches && !t.chain {
		numbers = 3
	}
	head, err := t.head(l, numbers, numbers)
	switch {
	case err != nil:
		return err
	case head[0] != t.size:
		return l.fail("there are %d states in the .tra file, not %d", t.size, head[0])
	case numbers == 3 && int(head[1]) != len(t.branches)-1:
		return l.fail("there are %d choices in the .tra file, not %d", len(t.branches)-1, head[1])
	}
	size := len(t.choices) - 1
	if ofBranches {
		size, list = len(t.to), &to.branches
	}
	t.Hold(2 * uint64(size))
	*list = make([]uint16, size)
	return t.others(l, head[numbers-1], func() error { return t.reward(l, *list, ofBranches) })
}

// reward reads "state reward", or "state choice target reward".
func (t *traReader) reward(l *lines, list []uint16, ofBranches bool) error {
	at, err := t.rewarded(l, ofBranches)
	if err != nil {
		return err
	}
	value, err := t.number(l)
	switch {
	case err != nil:
		return err
	case len(l.rest) > 0:
		return l.fail("there is something behind the reward")
	case list[at] != 0:
		return l.fail("this has a reward already")
	}
	list[at] = value
	return nil
}

// rewarded reads what a row is about: the number of a state, or of a branch.
func (t *traReader) rewarded(l *lines, ofBranches bool) (uint32, error) {
	if !ofBranches {
		state, err := l.whole()
		if err == nil && state >= t.size {
			err = l.fail("there are only %d states", t.size)
		}
		return state, err
	}
	state, choice, err := t.place(l)
	if err != nil {
		return 0, err
	}
	target, err := l.whole()
	if err != nil {
		return 0, err
	}
	first := t.choices[state]
	if choice >= t.choices[state+1]-first {
		return 0, l.fail("state %d has no choice %d", state, choice)
	}
	begin, end := t.branches[first+choice], t.branches[first+choice+1]
	i, ok := slices.BinarySearch(t.to[begin:end], target)
	if !ok {
		return 0, l.fail("state %d, choice %d does not go to state %d", state, choice, target)
	}
	return begin + uint32(i), nil
}

// plausible returns an error if a process claims to have many more states than anything leads to, so that a small file cannot ask for
// much memory.
func plausible(states uint32, transitions int) error {
	const spare = 1 << 16
	if int64(states) > int64(transitions)+spare {
		return fmt.Errorf("there are %d states, but only %d transitions: most states cannot be reached", states, transitions)
	}
	return nil
}
