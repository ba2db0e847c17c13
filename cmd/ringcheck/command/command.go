package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/internal/printable"
	"ringcheck/internal/workers"
	"ringcheck/model/language/syntax"
)

// A program is a name with sub-commands.
type program struct {
	name, short string
	long        string // begins with short; "" for short alone
	subcommands func(*app) []*cobra.Command
}

// An app is one invocation of a program.
type app struct {
	program
	stdout, stderr io.Writer
	quiet, verbose bool
	// specs holds the SPEC arguments of the sub-commands that take one or more.
	specs    map[*cobra.Command]binder
	watch    *watch
	progress *progress
	read     *ringcheck.Spec // the spec from standard input, nil until it is read
}

// Main runs ringcheck with the arguments after the program's name and returns its exit status. The first interrupt,
// termination signal or hang-up ends a search cleanly; a second one ends the program.
func Main(args []string, stdout, stderr io.Writer) (status int) {
	garbage.start()
	return ringcheckProgram().main(args, stdout, stderr)
}

func ringcheckProgram() program {
	const short = "Explicit-state model checking of leader election and other protocols on small networks"
	return program{name: "ringcheck", short: short, long: short + beginning, subcommands: (*app).commands}
}

func (p program) call(stdout, stderr io.Writer) *app {
	a := &app{program: p, stdout: stdout, stderr: stderr, specs: make(map[*cobra.Command]binder), watch: newWatch()}
	a.progress = newProgress(a)
	return a
}

func (p program) main(args []string, stdout, stderr io.Writer) (status int) {
	a := p.call(stdout, stderr)
	ctx, stop := signal.NotifyContext(context.Background(), endSignals()...)
	context.AfterFunc(ctx, func() {
		stop()
		a.watch.expire(explore.Interrupted)
	})
	go func() { a.watch.status <- a.attempt(ctx, args) }()
	return a.wait(args)
}

// attempt executes a sub-command and returns the exit status, also after a panic.
func (a *app) attempt(ctx context.Context, args []string) (status int) {
	defer func() {
		if r := recover(); r != nil {
			status = a.reportPanic(r)
		}
	}()
	err := a.execute(ctx, args)
	a.progress.clear()
	if err != nil {
		err = cmp.Or(a.reportErrors(args, err), err)
		fmt.Fprint(a.stderr, describe(err))
	}
	return statusOf(err)
}

// endSignals returns the signals that end a run: not SIGHUP if it is ignored, as under nohup.
func endSignals() []os.Signal {
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	return signals
}

// reportPanic reports a panic as an internal error.
func (a *app) reportPanic(reason any) int {
	p := workers.AsPanic(reason)
	fmt.Fprintf(a.stderr, "ringcheck: internal error: %v\n", p.Value)
	if a.verbose {
		fmt.Fprintf(a.stderr, "%s", p.Stack)
	}
	return statusInternal
}

func (a *app) execute(ctx context.Context, args []string) error {
	out := &keptError{Writer: a.stdout}
	root := a.root(out)
	if err := a.bind(root, args); err != nil {
		return err
	}
	registerChoices(root, args)
	root.SetArgs(args)
	err := cmp.Or(root.ExecuteContext(ctx), out.err)
	var internal *internalError
	if err == nil || classify(err) != nil || errors.As(err, &internal) {
		return err
	}
	if out.err != nil {
		return earlyStop(fmt.Errorf("writing the result: %w", err)) // cobra wrote it
	}
	// cobra itself rejects an unknown sub-command or a wrong number of arguments
	return wrongRequest(inOneLine(err))
}

// operandRange requires least to most operands.
func operandRange(least, most int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return wrongRequestf("%s takes %s", cmd.CommandPath(), what)
		}
		return nil
	}
}

// inOneLine puts the suggestions of a cobra error on the line of the error.
func inOneLine(err error) error {
	what, names, ok := strings.Cut(err.Error(), "\n\nDid you mean this?\n")
	if !ok {
		return err
	}
	return fmt.Errorf("%s (did you mean %s?)", what, strings.Join(strings.Fields(names), " or "))
}

// A keptError keeps the first error of a writer, since cobra ignores errors when it writes help.
type keptError struct {
	io.Writer
	err error
}

func (w *keptError) Write(p []byte) (int, error) {
	n, err := w.Writer.Write(p)
	w.err = cmp.Or(w.err, err)
	return n, err
}

func (a *app) root(out io.Writer) *cobra.Command {
	root := &cobra.Command{
		Use:           a.name,
		Short:         a.short,
		Long:          a.long,
		Version:       version() + buildInfo(),
		SilenceErrors: true,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			cmd.SetContext(a.watch.limit(cmd))
		},
		SilenceUsage: true,
	}
	root.SetOut(out)
	root.SetErr(a.stderr)
	root.SetVersionTemplate(a.name + " {{.Version}}\n")
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(a.usage)
	flags := root.PersistentFlags()
	flags.BoolVarP(&a.quiet, "quiet", "q", false, "print no progress and no warnings")
	flags.BoolVarP(&a.verbose, "verbose", "v", false,
		"print more to standard error, and the stack on an internal error")
	commands := a.subcommands(a)
	addGroups(root, commands)
	root.AddCommand(commands...)
	offerJSON(root)
	root.InitDefaultCompletionCmd()
	refuseSecond(root)
	for _, cmd := range root.Commands() {
		if !cmd.Runnable() {
			cmd.Args = cobra.NoArgs
			cmd.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// commands returns the sub-commands of ringcheck, in groups for the help.
func (a *app) commands() []*cobra.Command {
	return slices.Concat(
		group("Understand a protocol", a.specsCommand(), a.viewCommand(), a.stepCommand(), a.runsCommand()),
		group("Verify properties", a.checkCommand(), a.counterexampleCommand(), a.witnessCommand(), a.proveCommand(),
			a.testCommand()),
		group("Count and measure", a.exploreCommand(), a.probCommand(), a.simulateCommand(), a.sweepCommand()),
		group("Reduce and compare systems", a.minimizeCommand(), a.compareCommand()),
		group("Test a program against a spec", a.conformCommand(), a.testsCommand()),
		group("Write and publish specs", a.newCommand(), a.fmtCommand(), a.lspCommand(), a.exportCommand(),
			a.pageCommand(), a.manCommand()),
		group("Resume and repeat searches", a.storeCommand(), a.regressCommand(), a.tableCommand()),
	)
}

// group puts commands into a group of the help.
func group(title string, commands ...*cobra.Command) []*cobra.Command {
	for _, c := range commands {
		c.GroupID = title
	}
	return commands
}

// addGroups adds the groups of sub-commands to root, in their order.
func addGroups(root *cobra.Command, commands []*cobra.Command) {
	for _, c := range commands {
		if c.GroupID != "" && !root.ContainsGroup(c.GroupID) {
			root.AddGroup(&cobra.Group{ID: c.GroupID, Title: c.GroupID})
		}
	}
}

// A binder adds the flags that the SPEC arguments declare to a sub-command, before flags are parsed.
type binder interface {
	bind(cmd *cobra.Command, args []string) error
}

// bind finds the sub-command and its SPEC among the arguments, and adds the flags of the spec. In a request for
// completions, a SPEC that cannot be read is not an error.
func (a *app) bind(root *cobra.Command, args []string) error {
	completing := len(args) > 0 && (args[0] == cobra.ShellCompRequestCmd || args[0] == cobra.ShellCompNoDescRequestCmd)
	if completing {
		args = args[1 : len(args)-1] // the last argument is the one being typed
		defer plainUsage(root)
	}
	help := len(args) > 0 && args[0] == "help"
	if help {
		args = append(slices.Clone(args[1:]), "--help") // like explore --help, it does not require a SPEC
	}
	cmd, rest, err := root.Find(args)
	switch {
	case err != nil && help:
		return wrongRequest(inOneLine(err)) // cobra would print the help of ringcheck
	case err != nil:
		return nil // cobra adds sub-commands later, and reports unknown ones
	}
	p, ok := a.specs[cmd]
	if !ok {
		return nil
	}
	if err := p.bind(cmd, rest); err != nil && !completing {
		return err
	}
	return nil
}

// plainUsage removes the backquotes around value names from flag descriptions, since completion would show them.
func plainUsage(cmd *cobra.Command) {
	plain := func(f *pflag.Flag) { f.Usage = strings.ReplaceAll(f.Usage, "`", "") }
	cmd.PersistentFlags().VisitAll(plain)
	cmd.Flags().VisitAll(plain)
	for _, sub := range cmd.Commands() {
		plainUsage(sub)
	}
}

// A singleValue wraps the value of a flag so that it may be repeated only with the same value.
type singleValue struct {
	pflag.Value
	before *string
}

// givenTwice is the error for a second value; it holds the first.
type givenTwice string

func (v givenTwice) Error() string { return fmt.Sprintf("it is given twice, first as %s", string(v)) }

func (o *singleValue) Set(text string) error {
	if o.before != nil && *o.before != text {
		return givenTwice(*o.before)
	}
	o.before = &text
	return o.Value.Set(text)
}

// refuseSecond makes the flags of cmd and its sub-commands refuse a second, different value, unless they collect
// values.
func refuseSecond(cmd *cobra.Command) {
	single := func(f *pflag.Flag) {
		if t := f.Value.Type(); t == "string" || t == "SIZE" || describeValues(t) != "" {
			f.Value = &singleValue{Value: f.Value}
			if f.DefValue == "0s" { // pflag does not hide the default of a wrapped duration
				f.DefValue = "0"
			}
		}
	}
	cmd.PersistentFlags().VisitAll(single)
	cmd.LocalNonPersistentFlags().VisitAll(single)
	for _, sub := range cmd.Commands() {
		refuseSecond(sub)
	}
}

// choicesKey is the annotation of a flag with the words that a shell completes.
const choicesKey = "ringcheck_choices"

// offer makes the shell complete the value of a flag from a list.
func offer(cmd *cobra.Command, flag string, words []string) {
	must(cmd.Flags().SetAnnotation(flag, choicesKey, words))
}

// registerChoices passes the words of offer to cobra, if args are a shell's request for completions. Cobra holds what
// is registered until the process ends, with the command and all that it refers to.
func registerChoices(cmd *cobra.Command, args []string) {
	if len(args) == 0 || args[0] != cobra.ShellCompRequestCmd && args[0] != cobra.ShellCompNoDescRequestCmd {
		return
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if words, ok := f.Annotations[choicesKey]; ok {
			completions := cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
			must(cmd.RegisterFlagCompletionFunc(f.Name, completions))
		}
	})
	for _, sub := range cmd.Commands() {
		registerChoices(sub, args)
	}
}

// An internalError is a bug: an error that neither the caller nor a spec can cause.
type internalError struct{ error }

// runE wraps run for cobra, and marks errors that are bugs.
func runE(run func(cmd *cobra.Command) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, _ []string) error {
		err := checkNames(cmd.Flags())
		if err == nil {
			err = run(cmd)
		}
		if err == nil || classify(err) != nil {
			return err
		}
		return &internalError{err}
	}
}

// checkNames returns an error if a flag for a file or folder is given an empty name, such as an unset variable of a
// script.
func checkNames(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		what := map[string]string{"FILE": "file", "DIR": "folder"}
		if name, _ := pflag.UnquoteUsage(f); what[name] != "" && f.Value.String() == "" {
			err = cmp.Or(err, wrongRequestf("--%s needs the name of a %s", f.Name, what[name]))
		}
	})
	return err
}

// print writes a result to standard output, with control characters escaped.
func (a *app) print(text string) error {
	a.watch.prints.Store(true)
	a.progress.clear()
	text = printable.Lines(text)
	if hasColours(a.stdout, os.Getenv) {
		text = withColours(text)
	}
	if _, err := io.WriteString(a.stdout, text); err != nil {
		return earlyStop(fmt.Errorf("writing the result: %w", err))
	}
	return nil
}

// warn prints the warnings about a spec.
func (a *app) warn(s *ringcheck.Spec) {
	if a.quiet || s == nil {
		return
	}
	for _, w := range s.Declarations.Warnings {
		fmt.Fprint(a.stderr, printable.Lines(fmt.Sprintf("%s: warning: %s\n", w.Pos, w.Message)))
	}
}

// note writes a line to standard error with -v.
func (a *app) note(line string) {
	if a.verbose {
		fmt.Fprintln(a.stderr, printable.Text(line))
	}
}

// flagError describes an error about a flag, and suggests a flag that the user may have meant.
func flagError(cmd *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &unknown):
		return wrongRequest(unknownFlag(cmd, unknown.GetSpecifiedName()))
	case errors.As(err, &invalid):
		reason := invalid.Unwrap()
		for inner := errors.Unwrap(reason); inner != nil; inner = errors.Unwrap(inner) {
			reason = inner // without the name of the strconv function
		}
		flag := invalid.GetFlag()
		_, twice := reason.(givenTwice)
		unread := errors.Is(reason, strconv.ErrSyntax) || flag.Value.Type() == "duration"
		if want := describeValues(flag.Value.Type()); want != "" && !twice && unread {
			return wrongRequestf("--%s %q: expected %s", flag.Name, invalid.GetValue(), want)
		}
		name := "--" + flag.Name
		if len(flag.Name) == 1 {
			name = "-" + flag.Name
		}
		return wrongRequestf("%s %q: %w", name, invalid.GetValue(), reason)
	}
	return wrongRequest(err)
}

// describeValues describes the values of a type of flag; "" if its parse errors already do so.
func describeValues(kind string) string {
	switch strings.TrimRight(kind, "0123456789") {
	case "int":
		return "a whole number"
	case "uint":
		return "a whole number that is not negative"
	case "float":
		return "a number"
	case "bool":
		return "true or false"
	case "duration":
		return "a duration such as 90s or 1h30m"
	}
	return ""
}

func unknownFlag(cmd *cobra.Command, name string) error {
	dashed := func(name string) string { return "--"[:min(2, len(name))] + name }
	var names, settings []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		names = append(names, f.Name)
		if v, ok := f.Value.(*settingValue); ok && !v.negate {
			settings = append(settings, dashed(f.Name))
		}
	})
	hint := ""
	if near := syntax.Nearest(name, names); near != "" && len(name) > 1 {
		hint = " (did you mean " + dashed(near) + "?)"
	} else if others := owners(cmd, name); len(others) > 0 {
		hint = " (it is a flag of " + strings.Join(others, ", ") + ")"
	} else if len(settings) > 0 {
		hint = " (the spec has " + strings.Join(settings, ", ") + ")"
	}
	return fmt.Errorf("%s has no flag %s%s", cmd.CommandPath(), dashed(name), hint)
}

// owners returns the sub-commands that have a long flag.
func owners(cmd *cobra.Command, name string) []string {
	var list []string
	for _, c := range cmd.Root().Commands() {
		if f := c.Flags().Lookup(name); f != nil && len(name) > 1 && c != cmd {
			list = append(list, c.CommandPath())
		}
	}
	return list
}

// must panics on errors that are bugs, such as a completion for a flag that does not exist.
func must(err error) {
	if err != nil {
		panic(err)
	}
}
