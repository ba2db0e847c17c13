package command

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"ringcheck"
	"ringcheck/cmd/internal/drafts"
	"ringcheck/explore"
	"ringcheck/internal/document"
	"ringcheck/internal/textfile"
	"ringcheck/view"
	"ringcheck/view/explorer"
)

// stepping is the step sub-command.
type stepping struct {
	job
	seed uint64
}

func (a *app) stepCommand() *cobra.Command {
	s := &stepping{job: a.job()}
	cmd := s.command("step", s.on(s.run), s.protocol.register, s.search.limits)
	cmd.Flags().Uint64Var(&s.seed, "seed", 1, "start random actions from seed `N`: the same seed gives the same run")
	return cmd
}

func (s *stepping) run(ctx context.Context, sys *ringcheck.System) error {
	x, prepared, err := drafts.Explorer(ctx, sys, s.options())
	if err != nil {
		return err
	}
	t := &stepper{app: s.app, x: x, preparedSearch: prepared, random: rand.New(rand.NewPCG(s.seed, 0))}
	if t.about, err = x.Describe(); err != nil {
		return err
	}
	t.printText(t.preparedSearch.Title() + "\n\n")
	if err := t.restart(ctx, "1"); err != nil {
		return err
	}
	return t.read(ctx, os.Stdin)
}

// A stepper is a session of step.
type stepper struct {
	*app
	x              *explorer.Explorer
	about          *explorer.Description
	preparedSearch *ringcheck.Prepared
	random         *rand.Rand
	start          *explorer.State
	steps          []explorer.Step
	undone         []explorer.Step // the step undone last is at the end
	printErr       error           // the first failure to print
}

// printText prints text, unless printing has failed before.
func (t *stepper) printText(text string) {
	if t.printErr == nil {
		t.printErr = t.print(text)
	}
}

// errQuit ends a session.
var errQuit = errors.New("quit")

// read executes commands, one per line, until there are no more. On a terminal it prompts, and errors do not end it.
func (t *stepper) read(ctx context.Context, in *os.File) error {
	isPerson := term.IsTerminal(int(in.Fd()))
	lines := scanLines(in)
	for n := 1; t.printErr == nil; n++ {
		if isPerson {
			t.printText("> ")
		}
		var line inputLine
		select {
		case <-ctx.Done():
			return nil
		case line = <-lines:
		}
		switch {
		case errors.Is(line.err, io.EOF):
			return nil
		case line.err != nil:
			return wrongRequestf("standard input: %w", line.err)
		}
		err := t.do(ctx, strings.TrimSpace(line.text))
		switch {
		case errors.Is(err, errQuit):
			return nil
		case err == nil:
		case ctx.Err() != nil:
			return earlyStop(&explore.StopError{Stop: explore.StopFor(ctx)})
		case !isPerson:
			return wrongRequestf("line %d: %w", n, err)
		default:
			t.printText(err.Error() + "\n")
		}
	}
	return t.printErr
}

// An inputLine is a line, or the error that ended the input.
type inputLine struct {
	text string
	err  error
}

// scanLines reads lines in the background, so that waiting for input does not delay the end after a signal.
func scanLines(in io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		text := bufio.NewReader(in)
		textfile.SkipMark(text)
		s := bufio.NewScanner(text)
		for s.Scan() {
			lines <- inputLine{text: s.Text()}
		}
		err := cmp.Or(s.Err(), io.EOF)
		if errors.Is(err, bufio.ErrTooLong) {
			err = fmt.Errorf("a line has more than %d bytes", bufio.MaxScanTokenSize)
		}
		lines <- inputLine{err: err}
	}()
	return lines
}

// A stepCommand is a command of a session.
type stepCommand struct {
	names    []string
	usage    string // in the list of commands
	help     string // what it does
	operands bool   // words may follow the name
	do       func(t *stepper, ctx context.Context, operand string) error
}

// The sequences that terminals send for the arrow keys.
const (
	leftArrow  = "\x1b[D"
	rightArrow = "\x1b[C"
)

// stepCommands returns all commands but numbers. The keys of the page are among their names.
func stepCommands() []stepCommand {
	names := func(all ...string) []string { return all }
	return []stepCommand{
		{names("r", "random"), "r [N]", "take one random action, or N", true, (*stepper).wander},
		{names("u", "undo", leftArrow), "u, ←", "undo a step", false, (*stepper).undo},
		{names("redo", rightArrow), "redo, →", "redo it", false, (*stepper).redo},
		{names("start", "home"), "start [N]", "return to the initial state, or to the N-th", true, (*stepper).restart},
		{names("if", "/"), "if COND, /", "say whether a condition holds here: if exists p in node: p at Leader", true,
			(*stepper).ask},
		{names("run"), "run COND", "take a shortest run to a state in which a condition holds", true, (*stepper).seek},
		{names("show"), "show", "show the state again", false, (*stepper).showAgain},
		{names("chart", "c"), "chart, c", "draw the run so far", false, (*stepper).chart},
		{names("save"), "save FILE", "save the run, by the ending of FILE: " + runEndings(), true, (*stepper).save},
		{names("?", "help"), "?", "list the commands", false, (*stepper).help},
		{names("q", "quit", "exit"), "q", "quit", false,
			func(*stepper, context.Context, string) error { return errQuit }},
	}
}

// help lists the commands.
func (t *stepper) help(context.Context, string) error {
	var b strings.Builder
	line := func(usage, help string) { fmt.Fprintf(&b, "  %-11s  %s\n", usage, help) }
	line("1, 2, …", "take the action with that number")
	for _, c := range stepCommands() {
		line(c.usage, c.help)
	}
	t.printText(b.String())
	return nil
}

// do executes a command.
func (t *stepper) do(ctx context.Context, line string) error {
	if n, err := strconv.Atoi(line); err == nil {
		if err := t.take(ctx, n-1); err != nil {
			return err
		}
		t.show()
		return nil
	}
	if line == "" {
		return nil
	}
	word, operand, _ := strings.Cut(line, " ")
	for _, c := range stepCommands() {
		if slices.Contains(c.names, line) || c.operands && slices.Contains(c.names, word) {
			return c.do(t, ctx, strings.TrimSpace(operand))
		}
	}
	return fmt.Errorf("there is no command %q; ? lists them", line)
}

func (t *stepper) showAgain(context.Context, string) error {
	t.show()
	return nil
}

func (t *stepper) undo(context.Context, string) error {
	return t.shift(&t.steps, &t.undone, "there is nothing to undo")
}

func (t *stepper) redo(context.Context, string) error {
	return t.shift(&t.undone, &t.steps, "nothing was undone")
}

func (t *stepper) current() *explorer.State {
	if n := len(t.steps); n > 0 {
		return t.steps[n-1].State
	}
	return t.start
}

// restart returns to the initial state, or to the one with a number.
func (t *stepper) restart(ctx context.Context, number string) error {
	if number == "" {
		t.steps, t.undone = nil, nil
		t.show()
		return nil
	}
	n, err := strconv.Atoi(number)
	if err != nil || n < 1 || n > len(t.about.Initial) {
		return fmt.Errorf("start %s: there are %s", number, countOf(len(t.about.Initial), "initial state"))
	}
	start, err := t.x.State(ctx, t.about.Initial[n-1], nil)
	if err == nil {
		t.start, t.steps, t.undone = start, nil, nil
		t.show()
	}
	return err
}

func (t *stepper) take(ctx context.Context, index int) error {
	moves := t.current().Moves
	if index < 0 || index >= len(moves) {
		return fmt.Errorf("there is no action %d; there are %d", index+1, len(moves))
	}
	step, err := t.x.Take(ctx, t.current(), index)
	if err == nil {
		t.steps, t.undone = append(t.steps, *step), nil
	}
	return err
}

// wander takes the given number of random actions, by default one.
func (t *stepper) wander(ctx context.Context, number string) error {
	n, err := strconv.Atoi(cmp.Or(number, "1"))
	if err != nil || n < 1 {
		return fmt.Errorf("r %s: expected a number of steps", number)
	}
	for range n {
		moves := len(t.current().Moves)
		if moves == 0 {
			return errors.New("no action is enabled: this is a terminal state")
		}
		if err := t.take(ctx, t.random.IntN(moves)); err != nil {
			return err
		}
		t.printText(t.state())
	}
	t.printText(t.enabled())
	return nil
}

// shift undoes or redoes a step by moving the last one from one list to the other.
func (t *stepper) shift(from, to *[]explorer.Step, none string) error {
	last := len(*from) - 1
	if last < 0 {
		return errors.New(none)
	}
	*to, *from = append(*to, (*from)[last]), (*from)[:last]
	t.show()
	return nil
}

// ask prints whether a condition holds.
func (t *stepper) ask(ctx context.Context, condition string) error {
	s, err := t.x.State(ctx, t.current().Code, []string{condition})
	if err != nil {
		return err
	}
	switch c := s.Conditions[0]; {
	case c.Invalid:
		return errors.New(c.Error)
	case c.Value == nil:
		t.printText("it is undefined here: " + c.Error + "\n")
	default:
		t.printText(fmt.Sprintln(*c.Value))
	}
	return nil
}

func (t *stepper) seek(ctx context.Context, condition string) error {
	steps, err := t.x.Seek(ctx, t.current().Code, condition, t.preparedSearch.Search)
	switch {
	case err != nil:
		return err
	case len(steps) == 0:
		t.printText("it holds here\n")
		return nil
	}
	t.undone = nil
	for _, s := range steps {
		t.steps = append(t.steps, s)
		t.printText(t.state())
	}
	t.printText(t.enabled())
	return nil
}

func (t *stepper) indices() []int {
	list := make([]int, len(t.steps))
	for i, s := range t.steps {
		list[i] = s.Index
	}
	return list
}

func (t *stepper) chart(context.Context, string) error {
	trace, err := t.x.Run(t.start.Code, t.indices())
	if err != nil {
		return err
	}
	var b strings.Builder
	trace.Width = t.columns("")
	err = trace.MSC(&b)
	t.printText(b.String())
	return err
}

func (t *stepper) save(_ context.Context, file string) error {
	format := view.ByEnding(filepath.Ext(file))
	if format == "" {
		return errors.New("save: expected a file whose name ends in " + runEndings())
	}
	var b bytes.Buffer
	if err := t.x.Save(&b, t.start.Code, t.indices(), format); err != nil {
		return err
	}
	return saveBytes("save", file, b.Bytes())
}

// manyProcesses is the maximum number of processes that are all shown; of more, only those are shown that the last step
// changed.
const manyProcesses = 12

// show prints the state and the enabled actions.
func (t *stepper) show() { t.printText(t.state() + t.enabled()) }

// state describes the state and the step that led to it.
func (t *stepper) state() string {
	var d document.Document
	s, before := t.current(), t.start
	text := "an initial state"
	if n := len(t.steps); n > 0 {
		text = t.steps[n-1].Move.Text
		if n > 1 {
			before = t.steps[n-2].State
		}
	}
	d.Line("%d  %s", len(t.steps), text)
	for p, local := range s.Processes {
		switch changed := local.Exact != before.Processes[p].Exact; {
		case changed:
			d.Line("     %d: %s  *", p, local)
		case len(s.Processes) <= manyProcesses:
			d.Line("     %d: %s", p, local)
		}
	}
	for i, v := range s.Shared {
		mark := ""
		if before.Shared[i].Text != v.Text {
			mark = "  *"
		}
		d.Line("     shared: %s=%s%s", v.Caption, v.Text, mark)
	}
	for l, texts := range s.Channels {
		if len(texts) > 0 {
			link := t.about.Links[l]
			d.Line("     %d → %d: %s", link.From, link.To, strings.Join(texts, ", "))
		}
	}
	for i, p := range s.Properties {
		if p.Violated {
			d.Line("     violated: %s", t.about.Properties[i].Name)
		}
	}
	return d.Text()
}

// enabled lists the actions that are enabled.
func (t *stepper) enabled() string {
	var d document.Document
	d.Line("")
	s := t.current()
	switch {
	case s.ModelError != "":
		d.Line("  the model has an error here: %s", s.ModelError)
	case len(s.Moves) == 0:
		d.Line("  no action is enabled: this is a terminal state")
	}
	width := 0
	for _, m := range s.Moves {
		width = max(width, len([]rune(m.Text)))
	}
	for i, m := range s.Moves {
		line := fmt.Sprintf("  %d) %-*s  ", i+1, min(width, 60), m.Text)
		if m.Effect != "" {
			line += "→ " + m.Effect
		}
		if m.Chance != "" {
			line += "  (" + m.Chance + ")"
		}
		d.Line("%s", strings.TrimRight(line, " "))
	}
	d.Line("")
	return d.Text()
}
