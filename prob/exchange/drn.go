package exchange

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/prob"
)

// WriteDRN writes a process in Storm's direct encoding. Rewards are those of choices, the means of what their branches have. With exact,
// numbers are fractions where need be.
func WriteDRN(ctx context.Context, w io.Writer, m *prob.MDP, exact bool) (err error) {
	defer effort.Catch(&err)
	out := bufio.NewWriter(w)
	c := closed{m, &effort.Effort{Context: ctx}}
	choices, _ := c.counts()
	var rewards, labels []string
	names := newNames()
	for _, r := range m.Rewards {
		rewards = append(rewards, names.unique(r.Name))
	}
	names = newNames()
	for _, l := range m.Labels {
		labels = append(labels, names.unique(l.Name))
	}
	fmt.Fprintf(out, "// Made by ringcheck\n@type: MDP\n@parameters\n\n@reward_models\n%s\n", strings.Join(rewards, " "))
	fmt.Fprintf(out, "@nr_states\n%d\n@nr_choices\n%d\n@model\n", m.States(), choices)
	initial, none := c.initial(), make([]*big.Rat, len(m.Rewards))
	c.all(func(s uint32, n int, choice []prob.Branch) {
		if n == 0 {
			fmt.Fprintf(out, "state %d%s", s, rewardList(none, exact))
			if initial.Has(s) {
				out.WriteString(" " + initialLabel)
			}
			if m.Terminal(s) {
				out.WriteString(" " + deadlockLabel)
			}
			for i, l := range m.Labels {
				if l.States.Has(s) {
					out.WriteString(" " + labels[i])
				}
			}
			out.WriteByte('\n')
		}
		var values []*big.Rat
		for i := range m.Rewards {
			values = append(values, mean(&m.Rewards[i], choice))
		}
		fmt.Fprintf(out, "\taction %d%s\n", n, rewardList(values, exact))
		for _, b := range merged(choice) {
			fmt.Fprintf(out, "\t\t%d : %s\n", b.To, decimal(b.Weight.Rat(), exact))
		}
	})
	return out.Flush()
}

// rewardList writes rewards in brackets, nothing if there are none.
func rewardList(list []*big.Rat, exact bool) string {
	if len(list) == 0 {
		return ""
	}
	var words []string
	for _, r := range list {
		if r == nil {
			words = append(words, "0")
		} else {
			words = append(words, decimal(r, exact))
		}
	}
	return " [" + strings.Join(words, ", ") + "]"
}

// readDRN reads a Markov chain or decision process in Storm's direct encoding; name is that of the file.
func readDRN(f *effort.Effort, name string, r io.Reader) (*prob.MDP, error) {
	d := &drnReader{lines: newLines(f, name, r, "//"), labels: map[string]int{}}
	if err := d.head(); err != nil {
		return nil, err
	}
	if err := d.model(); err != nil {
		return nil, err
	}
	if d.state != int64(d.states)-1 {
		return nil, fmt.Errorf("%s: there are %d states; by the head there should be %d", name, d.state+1, d.states)
	}
	var labels []prob.Label
	for i, label := range d.names {
		set := prob.NewSet(int(d.states))
		for _, s := range d.members[i] {
			set.Add(s)
		}
		labels = append(labels, prob.Label{Name: label, States: set})
	}
	m, err := d.b.process(d.initial, labels)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return m, nil
}

// A drnReader reads one file.
type drnReader struct {
	*lines
	b       *builder
	states  uint32
	rewards []string
	initial []uint32
	names   []string // of labels
	labels  map[string]int
	members [][]uint32 // by label: states

	state      int64 // that is being read, -1 before the first
	ofState    []*big.Rat
	ofChoice   []*big.Rat
	choice     []branch
	hasChoice  bool
	choiceLine int
}

// head reads up to the line @model.
func (d *drnReader) head() error {
	d.state = -1
	for line, ok := d.next(); ok; line, ok = d.next() {
		switch key, value, _ := strings.Cut(line, ":"); strings.TrimSpace(key) {
		case "@type":
			if t := strings.ToUpper(strings.TrimSpace(value)); t != "MDP" && t != "DTMC" {
				return d.fail("want type MDP or DTMC, not %s", strings.TrimSpace(value))
			}
		case "@value_type", "@parameters", "@placeholders", "@nr_choices":
		case "@reward_models":
			// The names follow on the next line, which may be empty and then is not seen.
			continue
		case "@nr_states":
			line, _ := d.next()
			n, err := d.numbers([]string{line})
			if err != nil || n[0] == 0 {
				return d.fail("want the number of states")
			}
			d.states = n[0]
		case "@model":
			if d.states == 0 {
				return d.fail("there is no @nr_states")
			}
			d.b = newBuilder(d.Effort, d.rewards)
			return nil
		default:
			if strings.HasPrefix(line, "@") {
				return d.fail("%s is not known", line)
			}
			if _, err := strconv.ParseUint(line, 10, 64); err != nil {
				d.rewards = strings.Fields(line)
			}
		}
	}
	return errors.Join(d.end(), fmt.Errorf("%s: there is no @model", d.name))
}

// model reads the states.
func (d *drnReader) model() error {
	for line, ok := d.next(); ok; line, ok = d.next() {
		words, rewards, err := d.brackets(line)
		if err != nil {
			return err
		}
		switch words[0] {
		case "state":
			err = d.beginState(words, rewards)
		case "action":
			if err = d.endChoice(); err == nil {
				if d.state < 0 {
					return d.fail("an action before the first state")
				}
				d.ofChoice, d.hasChoice, d.choiceLine = rewards, true, d.number
			}
		default:
			err = d.branch(line)
		}
		if err != nil {
			return err
		}
	}
	if err := d.end(); err != nil {
		return err
	}
	return d.endState()
}

// brackets returns the words of a line, and the rewards between brackets.
func (d *drnReader) brackets(line string) ([]string, []*big.Rat, error) {
	before, rest, ok := strings.Cut(line, "[")
	if !ok {
		return strings.Fields(line), nil, nil
	}
	inside, after, ok := strings.Cut(rest, "]")
	list := strings.Split(inside, ",")
	if !ok || len(list) != len(d.rewards) {
		return nil, nil, d.fail("want %d rewards in brackets", len(d.rewards))
	}
	var rewards []*big.Rat
	for _, word := range list {
		r, err := parseNumber(strings.TrimSpace(word))
		if err != nil {
			return nil, nil, d.fail("%w", err)
		}
		rewards = append(rewards, r)
	}
	words := strings.Fields(before + " " + after)
	if len(words) == 0 {
		return nil, nil, d.fail("want a state, an action or a branch")
	}
	return words, rewards, nil
}

// beginState reads "state 3 init goal".
func (d *drnReader) beginState(words []string, rewards []*big.Rat) error {
	if err := d.endState(); err != nil {
		return err
	}
	if len(words) < 2 || words[1] != fmt.Sprint(d.state+1) || d.state+1 >= int64(d.states) {
		return d.fail("want state %d of %d", d.state+1, d.states)
	}
	d.state++
	d.ofState = rewards
	for _, label := range words[2:] {
		if label == initialLabel {
			d.initial = append(d.initial, uint32(d.state))
			continue
		}
		i, ok := d.labels[label]
		if !ok {
			i = len(d.names)
			d.labels[label] = i
			d.names, d.members = append(d.names, label), append(d.members, nil)
		}
		d.Hold(8)
		d.members[i] = append(d.members[i], uint32(d.state))
	}
	return nil
}

// branch reads "3 : 0.5".
func (d *drnReader) branch(line string) error {
	target, number, ok := strings.Cut(line, ":")
	if !ok || !d.hasChoice {
		return d.fail("want a state, an action or a branch such as 3 : 0.5")
	}
	n, err := d.numbers([]string{strings.TrimSpace(target)})
	if err != nil {
		return err
	}
	if n[0] >= d.states {
		return d.fail("target %d is out of range: there are %d states", n[0], d.states)
	}
	w, err := parseNumber(strings.TrimSpace(number))
	if err != nil {
		return d.fail("%w", err)
	}
	d.choice = append(d.choice, branch{to: n[0], weight: w})
	return nil
}

// endChoice hands in the choice that was read, if there is one.
func (d *drnReader) endChoice() error {
	if !d.hasChoice {
		return nil
	}
	rewards := sum(d.ofState, d.ofChoice)
	for i := range d.choice {
		d.choice[i].rewards = rewards
	}
	if err := d.b.choice(d.choice); err != nil {
		return fmt.Errorf("%s:%d: %w", d.name, d.choiceLine, err)
	}
	d.choice, d.hasChoice, d.ofChoice = d.choice[:0], false, nil
	return nil
}

func (d *drnReader) endState() error {
	if err := d.endChoice(); err != nil {
		return err
	}
	if d.state >= 0 {
		d.b.end()
	}
	return nil
}
