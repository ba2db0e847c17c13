package peers

import (
	"cmp"
	"context"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"ringcheck/internal/machine"
)

// A Peer is another model checker.
type Peer struct {
	Name    string
	needs   []string // programs
	module  string   // a module of Python that it also needs, if any
	ending  string   // of its models by hand
	version []string // a command that prints the version in its first line
	measure func(ctx context.Context, b *Bench, j *Job, ours *Row, runs int) ([]*Row, error)
}

// Installed reports whether what a peer needs is found.
func (p *Peer) Installed() bool {
	for _, program := range p.needs {
		if _, err := exec.LookPath(program); err != nil {
			return false
		}
	}
	return p.module == "" || exec.Command("python3", "-c", "import "+p.module).Run() == nil
}

// Version returns the first line that a peer prints about its version.
func (p *Peer) Version(ctx context.Context) string {
	out, _ := exec.CommandContext(ctx, p.version[0], p.version[1:]...).CombinedOutput()
	first, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	return first
}

// The endings of models in the languages of the peers.
const (
	promela = ".pml"
	murphi  = ".m"
	prism   = ".prism"
)

// peers are the tools that jobs have models for. A verifier in C is compiled on the machine.
var peers = []Peer{
	{
		Name: "SPIN", needs: []string{"spin", "cc"}, ending: promela, version: []string{"spin", "-V"}, measure: spin,
	},
	{
		Name: "Rumur", needs: []string{"rumur", "cc"}, ending: murphi, version: []string{"rumur", "--version"},
		measure: rumur,
	},
	{
		Name: "Storm", needs: []string{"python3"}, module: "stormpy", ending: prism,
		version: []string{"python3", "-c", "import stormpy; print('stormpy', stormpy.__version__)"}, measure: storm,
	},
}

// block matches a comment between /* and */.
var block = regexp.MustCompile(`(?s)/\*.*?\*/`)

// patterns are regular expressions for the output of a program. The first three, and values, match numbers; an empty
// one is not used. complete matches only if the program has explored everything without an error.
type patterns struct{ states, transitions, terminal, complete, values string }

var (
	byUs   = patterns{`"states":(\d+)`, `"transitions":(\d+)`, `"terminal_states":(\d+)`, `"complete":true`, ``}
	byProb = patterns{
		`"states":(\d+)`, `"branches":(\d+)`, ``, `"complete":true`, `"scheduler":"(?:min|max)","low":([-+.\de]+)`,
	}
	byStorm = patterns{`(\d+) states, `, ` (\d+) transitions`, ``, `value `, `value ([-+.\de]+)`}
	bySPIN  = patterns{`(\d+) states, stored`, `(\d+) transitions \(= stored\+matched\)`, ``, `errors: 0\n`, ``}
	byRumur = patterns{`(\d+) states, \d+ rules fired in`, `\d+ states, (\d+) rules fired in`, ``, `No error found`, ``}
)

// truncation is the message of SPIN if it has not searched beyond its greatest depth. It counts no error then.
const truncation = "max search depth too small"

// spin measures the model by hand and the exported one. SPIN counts the initial state as a transition to it. With
// several initial states it begins in one more state, with a transition to each of them. An exported model has one more
// transition for each terminal state.
func spin(ctx context.Context, b *Bench, j *Job, ours *Row, runs int) ([]*Row, error) {
	var rows []*Row
	r, err := b.spinByHand(ctx, j, runs, noReduction)
	if err != nil {
		return nil, err
	}
	if r != nil {
		rows = append(rows, r)
	}
	if j.Exported {
		path := b.path("exported.pml")
		export := slices.Concat([]string{b.path("ringcheck"), "export"}, j.Spec,
			[]string{"--format", "promela", "--out", path})
		if _, _, err := start(ctx, b.root, export...); err != nil {
			return nil, err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		r := &Row{Tool: "SPIN", Model: "exported", Lines: lines(string(text), promela)}
		if err := b.pan(ctx, r, j, runs, noReduction, "spin", "-o2", "-a", path); err != nil {
			return nil, err
		}
		r.Transitions -= min(r.Transitions, ours.Terminal)
		rows = append(rows, r)
	}
	return rows, nil
}

// noReduction is the option of the compiler without which SPIN reduces by partial orders.
var noReduction = []string{"-DNOREDUCE"}

// spinByHand measures the model by hand, compiled with some options; nil if no file has it.
func (b *Bench) spinByHand(ctx context.Context, j *Job, runs int, options []string) (*Row, error) {
	path, text, err := b.model(j, promela)
	if err != nil || path == "" {
		return nil, err
	}
	r := &Row{Tool: "SPIN", Model: "by hand", Lines: lines(text, promela)}
	generate := []string{"spin", "-a"}
	for name, value := range j.Settings {
		generate = append(generate, "-D"+name+"="+value)
	}
	return r, b.pan(ctx, r, j, runs, options, append(generate, path)...)
}

// pan generates the verifier of a model, compiles it with some options and runs it.
func (b *Bench) pan(ctx context.Context, r *Row, j *Job, runs int, options []string, generate ...string) error {
	compile := slices.Concat([]string{"cc", b.level, "-w", "-DSAFETY", "-DNOCLAIM", "-DVECTORSZ=8192"}, options,
		[]string{"-o", "pan", "pan.c"})
	if err := b.build(ctx, r, generate, compile); err != nil {
		return err
	}
	err := b.repeat(ctx, r, runs, b.dir, bySPIN, "./pan", fmt.Sprintf("-m%d", j.Depth), "-E", "-n", "-c1")
	if err != nil || r.Exceeded {
		return err
	}
	r.Transitions -= 1 + j.Initial
	if j.Initial > 0 {
		r.States--
	}
	return nil
}

// rumur measures the model by hand. Constants are declared in it.
func rumur(ctx context.Context, b *Bench, j *Job, ours *Row, runs int) ([]*Row, error) {
	path, text, err := b.model(j, murphi)
	if err != nil || path == "" {
		return nil, err
	}
	r := &Row{Tool: "Rumur", Model: "by hand", Lines: lines(text, murphi)}
	for name, value := range j.Settings {
		declaration := regexp.MustCompile(`(?m)^  ` + name + `: \d+;`)
		if len(declaration.FindAllString(text, -1)) != 1 {
			return nil, fmt.Errorf("%s: no declaration of %s", path, name)
		}
		text = declaration.ReplaceAllString(text, "  "+name+": "+value+";")
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		return nil, err
	}
	err = b.build(ctx, r,
		[]string{"rumur", path, "--output", "model.c", "--threads", "1", "--deadlock-detection", "off"},
		[]string{"cc", "-std=c11", b.level, "-march=native", "-w", "-o", "model", "model.c", "-lpthread", "-latomic"})
	if err != nil {
		return nil, err
	}
	return []*Row{r}, b.repeat(ctx, r, runs, b.dir, byRumur, "./model")
}

// storm measures the model by hand of a job with queries. A script in Python calls Storm.
func storm(ctx context.Context, b *Bench, j *Job, _ *Row, runs int) ([]*Row, error) {
	path, text, err := b.model(j, prism)
	if err != nil || path == "" {
		return nil, err
	}
	script, err := fs.ReadFile(models, "models/storm.py")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(b.path("storm.py"), script, 0o600); err != nil {
		return nil, err
	}
	r := &Row{Tool: "Storm", Model: "by hand", Lines: lines(text, prism)}
	command := append([]string{"python3", b.path("storm.py"), path}, j.Queries...)
	return []*Row{r}, b.repeat(ctx, r, runs, b.dir, byStorm, command...)
}

// build runs the commands that generate and compile a verifier.
func (b *Bench) build(ctx context.Context, r *Row, commands ...[]string) error {
	for _, c := range commands {
		_, cost, err := start(ctx, b.dir, c...)
		if err != nil {
			return err
		}
		r.Build.CPU += cost.CPU
		r.Build.Memory = max(r.Build.Memory, cost.Memory)
	}
	return nil
}

// repeat runs a verifier, again if that was short, and writes its counts and the median of the costs to a row.
func (b *Bench) repeat(ctx context.Context, r *Row, runs int, dir string, by patterns, command ...string) error {
	var costs []Cost
	for r.Runs < runs && (r.Runs == 0 || costs[0].CPU < short) {
		out, cost, err := start(ctx, dir, withLimit(command)...)
		if err != nil && cost.CPU >= Limit-time.Second {
			r.Exceeded, r.Runs = true, 1
			return nil
		}
		if err != nil {
			return err
		}
		if err := by.read(r, out); err != nil {
			return fmt.Errorf("%s: %w", strings.Join(command, " "), err)
		}
		costs = append(costs, cost)
		r.Runs++
	}
	slices.SortFunc(costs, func(x, y Cost) int { return cmp.Compare(x.CPU, y.CPU) })
	r.Run = costs[len(costs)/2]
	return nil
}

// withLimit returns a command that ends after Limit.
func withLimit(command []string) []string {
	return append([]string{"sh", "-c", fmt.Sprintf(`ulimit -t %d; exec "$0" "$@"`, int(Limit.Seconds()))}, command...)
}

// read writes the numbers in the output of a verifier to a row.
func (c patterns) read(r *Row, out string) error {
	if !regexp.MustCompile(c.complete).MatchString(out) || strings.Contains(out, truncation) {
		return fmt.Errorf("not complete, or an error\n%s", out)
	}
	for _, n := range []struct {
		expression string
		number     *uint64
	}{{c.states, &r.States}, {c.transitions, &r.Transitions}, {c.terminal, &r.Terminal}} {
		if n.expression == "" {
			continue
		}
		m := regexp.MustCompile(n.expression).FindStringSubmatch(out)
		if m == nil {
			return fmt.Errorf("no match of %s\n%s", n.expression, out)
		}
		var err error
		if *n.number, err = strconv.ParseUint(m[1], 10, 64); err != nil {
			return err
		}
	}
	if c.values == "" {
		return nil
	}
	r.Values = nil
	for _, m := range regexp.MustCompile(c.values).FindAllStringSubmatch(out, -1) {
		x, err := strconv.ParseFloat(m[1], 64)
		if err != nil {
			return err
		}
		r.Values = append(r.Values, x)
	}
	return nil
}

// start runs a command in a folder, and returns its output and cost.
func start(ctx context.Context, dir string, command ...string) (string, Cost, error) {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil {
		return "", Cost{}, err
	}
	ended := cmd.ProcessState
	if err != nil {
		err = fmt.Errorf("%s: %w\n%s", strings.Join(command, " "), err, out)
	}
	return string(out), Cost{ended.UserTime() + ended.SystemTime(), machine.ChildRSS(ended)}, err
}
