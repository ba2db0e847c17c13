package exchange

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// A Source opens the file whose name is the common beginning and a suffix. If there is none, the error is fs.ErrNotExist.
type Source func(suffix string) (io.ReadCloser, error)

// A traReader reads PRISM's explicit files.
type traReader struct {
	*effort.Effort
	name    string // the common beginning of the files' names
	states  uint32
	rows    []traRow // in ascending order of states and choices
	labels  []prob.Label
	initial []uint32
	rewards []traReward
}

// traBytes is about what a line takes while it is held: a number, what points to it, and room to grow.
const traBytes = 160

// A traRow is one line of a .tra file.
type traRow struct {
	state, choice, to uint32
	weight            *big.Rat
}

// A traReward is one reward: of states, and of branches.
type traReward struct {
	name     string
	states   map[uint32]*big.Rat
	branches map[[3]uint32]*big.Rat
}

// readPRISM reads the files of a process.
func readPRISM(f *effort.Effort, name string, open Source) (*prob.MDP, error) {
	t := &traReader{Effort: f, name: name}
	if _, err := with(open, ".tra", t.transitions); err != nil {
		return nil, err
	}
	if found, err := with(open, ".lab", t.readLabels); err != nil {
		return nil, err
	} else if !found {
		t.initial = []uint32{0}
	}
	for i := 0; ; i++ { // x.trew and x.srew are the only reward, or there are x1.trew, x1.srew and so on
		number := ""
		if i > 0 {
			number = fmt.Sprint(i)
		}
		r := traReward{name: fmt.Sprint("reward", number), states: map[uint32]*big.Rat{}, branches: map[[3]uint32]*big.Rat{}}
		a, err := with(open, number+".srew", func(suffix string, in io.Reader) error { return t.readRewards(&r, suffix, in, 2) })
		if err != nil {
			return nil, err
		}
		b, err := with(open, number+".trew", func(suffix string, in io.Reader) error { return t.readRewards(&r, suffix, in, 4) })
		if err != nil {
			return nil, err
		}
		if a || b {
			t.rewards = append(t.rewards, r)
		} else if i > 0 {
			break
		}
	}
	return t.process()
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

func (t *traReader) transitions(suffix string, r io.Reader) error {
	l := newLines(t.Effort, t.name+suffix, r, "#")
	line, ok := l.next()
	if !ok {
		return cmp.Or(l.end(), fmt.Errorf("%s: the file is empty", l.name))
	}
	head, err := l.numbers(strings.Fields(line))
	if err != nil || len(head) < 2 || len(head) > 3 || head[0] == 0 {
		return l.fail("want the numbers of states, choices and transitions")
	}
	t.states = head[0]
	for line, ok = l.next(); ok; line, ok = l.next() {
		if err := t.transition(l, strings.Fields(line), len(head) == 2); err != nil {
			return err
		}
	}
	if err := l.end(); err != nil {
		return err
	}
	if err := plausible(t.states, len(t.rows)); err != nil {
		return fmt.Errorf("%s: %w", l.name, err)
	}
	if want := head[len(head)-1]; uint32(len(t.rows)) != want {
		return fmt.Errorf("%s: there are %d transitions; by the first line there should be %d", l.name, len(t.rows), want)
	}
	return nil
}

// transition reads "state choice target probability"; in a chain there is no choice.
func (t *traReader) transition(l *lines, words []string, chain bool) error {
	if chain && len(words) >= 3 {
		words = append([]string{words[0], "0"}, words[1:]...)
	}
	if len(words) < 4 || len(words) > 5 {
		return l.fail("want a state, a choice, a target and a probability")
	}
	n, err := l.numbers(words[:3])
	if err != nil {
		return err
	}
	if n[0] >= t.states || n[2] >= t.states {
		return l.fail("there are only %d states", t.states)
	}
	w, err := parseNumber(words[3])
	if err != nil {
		return l.fail("%w", err)
	}
	row := traRow{n[0], n[1], n[2], w}
	if !t.follows(row) {
		return l.fail("state %d, choice %d is out of order", row.state, row.choice)
	}
	t.Hold(traBytes)
	t.rows = append(t.rows, row)
	return nil
}

// follows reports whether a row can come after those that were read: choices are numbered from 0 on.
func (t *traReader) follows(row traRow) bool {
	if len(t.rows) == 0 {
		return row.choice == 0
	}
	last := t.rows[len(t.rows)-1]
	if row.state != last.state {
		return row.state > last.state && row.choice == 0
	}
	return row.choice == last.choice || row.choice == last.choice+1
}

func (t *traReader) readLabels(suffix string, r io.Reader) error {
	l := newLines(t.Effort, t.name+suffix, r, "#")
	line, _ := l.next()
	sets := map[uint32]prob.Set{}
	initial := prob.NewSet(int(t.states))
	for _, word := range strings.Fields(line) {
		number, name, ok := strings.Cut(word, "=")
		n, err := l.numbers([]string{number})
		if !ok || err != nil || len(name) < 2 || name[0] != '"' || name[len(name)-1] != '"' || sets[n[0]] != nil {
			return l.fail("want labels such as 0=\"init\"")
		}
		if name = name[1 : len(name)-1]; name == initialLabel {
			sets[n[0]] = initial
			continue
		}
		sets[n[0]] = prob.NewSet(int(t.states))
		t.labels = append(t.labels, prob.Label{Name: name, States: sets[n[0]]})
	}
	for line, ok := l.next(); ok; line, ok = l.next() {
		state, list, ok := strings.Cut(line, ":")
		n, err := l.numbers(append([]string{state}, strings.Fields(list)...))
		if !ok || err != nil || n[0] >= t.states {
			return l.fail("want a state and its labels, such as 3: 0 2")
		}
		for _, label := range n[1:] {
			if sets[label] == nil {
				return l.fail("there is no label %d", label)
			}
			sets[label].Add(n[0])
		}
	}
	for s := range t.states {
		if initial.Has(s) {
			t.initial = append(t.initial, s)
		}
	}
	return l.end()
}

// readRewards reads the rewards of states (width 2) or of branches (width 4).
func (t *traReader) readRewards(to *traReward, suffix string, r io.Reader, width int) error {
	l := newLines(t.Effort, t.name+suffix, r, "#")
	l.heard = func(comment string) {
		if _, name, ok := strings.Cut(comment, "Reward structure "); ok {
			to.name = strings.Trim(name, `"`)
		}
	}
	if _, ok := l.next(); !ok {
		return cmp.Or(l.end(), fmt.Errorf("%s: the file is empty", l.name))
	}
	for line, ok := l.next(); ok; line, ok = l.next() {
		words := strings.Fields(line)
		if width == 4 && len(words) == 3 { // of a chain
			words = append([]string{words[0], "0"}, words[1:]...)
		}
		if len(words) != width {
			return l.fail("want %d numbers", width)
		}
		n, err := l.numbers(words[:width-1])
		if err != nil {
			return err
		}
		v, err := parseNumber(words[width-1])
		if err != nil {
			return l.fail("%w", err)
		}
		t.Hold(2 * traBytes)
		if width == 2 {
			to.states[n[0]] = v
		} else {
			to.branches[[3]uint32(n)] = v
		}
	}
	return l.end()
}

// process makes the process of what was read.
func (t *traReader) process() (*prob.MDP, error) {
	var names []string
	for _, r := range t.rewards {
		names = append(names, r.name)
	}
	b := newBuilder(t.Effort, names)
	rows := t.rows
	for s := range t.states {
		for len(rows) > 0 && rows[0].state == s {
			n := 0
			var list []branch
			for ; n < len(rows) && rows[n].state == s && rows[n].choice == rows[0].choice; n++ {
				list = append(list, branch{rows[n].to, rows[n].weight, t.rewardsOf(rows[n])})
			}
			if err := b.choice(list); err != nil {
				return nil, fmt.Errorf("%s.tra: state %d, choice %d: %w", t.name, s, rows[0].choice, err)
			}
			rows = rows[n:]
		}
		b.end()
	}
	return b.process(t.initial, t.labels)
}

func (t *traReader) rewardsOf(row traRow) []*big.Rat {
	var states, branches []*big.Rat
	for _, r := range t.rewards {
		states = append(states, r.states[row.state])
		branches = append(branches, r.branches[[3]uint32{row.state, row.choice, row.to}])
	}
	return sum(states, branches)
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
