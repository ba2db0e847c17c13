package prove

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/crillab/gophersat/explain"
	"github.com/crillab/gophersat/solver"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/testlevel"
)

// outsideSolvers are commands that decide whether the clauses of a DIMACS file can be satisfied. Their exit status says
// it. They are used where they are installed.
var outsideSolvers = [][]string{
	{"cadical", "-q"}, {"minisat", "-verb=0"}, {"picosat"}, {"cryptominisat5", "--verb=0"}, {"kissat", "-q"},
	{"glucose", "-verb=0"},
}

// Exit statuses of SAT solvers, as in the SAT competitions.
const (
	satisfiableStatus   = 10
	unsatisfiableStatus = 20
)

// TestOutsideSolvers has the certificates of proofs about process 0 and counted messages confirmed by others: solvers
// find no solution of the clauses, but find one without one of the patterns; and a checker confirms the refutations.
func TestOutsideSolvers(t *testing.T) {
	t.Parallel()
	solvers := map[string]func(t *testing.T, cnf string) int{"gophersat": gophersat}
	for _, command := range outsideSolvers {
		if _, err := exec.LookPath(command[0]); err == nil {
			solvers[command[0]] = func(t *testing.T, cnf string) int { return runSolver(t, command, cnf) }
		}
	}
	clauses, lines := 0, 0
	for i, c := range claims {
		if i > 1 && !testlevel.Gate() {
			break
		}
		spec, err := loadtest.Parse(filepath.Base(c.spec), []byte(c.read(t)))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Prove(t.Context(), spec, nil, Options{Property: c.property})
		if err != nil || !r.Proved {
			t.Fatalf("%s of %s is not proved: %v", c.property, c.spec, err)
		}
		weaker := *r.proof
		weaker.patterns = r.proof.patterns[:len(r.proof.patterns)-1] // each pattern is necessary
		broken := false
		files := folder(t, r.proof)
		for n := 2; n <= r.proof.largest; n++ {
			cnf, drat := files[ringFile(n, ".cnf")].Data, files[ringFile(n, ".drat")].Data
			clauses += bytes.Count(cnf, []byte("\n"))
			for name, status := range decide(t, solvers, cnf) {
				if status != unsatisfiableStatus {
					t.Errorf("%s, %s, ring of %d: %s ends with %d", c.spec, c.property, n, name, status)
				}
			}
			statuses := decide(t, solvers, weaker.cnf(n, nil))
			broken = broken || statuses["gophersat"] == satisfiableStatus
			for name, status := range statuses {
				if status != statuses["gophersat"] {
					t.Errorf("%s, %s, ring of %d, without a pattern: %s ends with %d", c.spec, c.property, n, name,
						status)
				}
			}
			if n == 4 && (!testlevel.Gate() || len(r.Patterns) > 100 && !testlevel.Long()) {
				continue // the checker tries each clause for each line
			}
			lines += bytes.Count(drat, []byte("\n"))
			if err := checkOutside(cnf, drat); err != nil {
				t.Errorf("%s, %s, ring of %d: %v", c.spec, c.property, n, err)
			}
			// Without the last clause, that there is a step, the others can be satisfied.
			satisfiable := cnf[:bytes.LastIndexByte(cnf[:len(cnf)-1], '\n')+1]
			if err := checkOutside(satisfiable, drat); err == nil {
				t.Errorf("%s, %s, ring of %d: the checker refutes what can be satisfied", c.spec, c.property, n)
			}
		}
		if !broken {
			t.Errorf("%s, %s: no solver needs the last pattern", c.spec, c.property)
		}
	}
	t.Logf("%d solvers refute %d clauses; %d lines of refutations are checked", len(solvers), clauses, lines)
}

// decide returns the exit status of each solver for a DIMACS file.
func decide(t *testing.T, solvers map[string]func(*testing.T, string) int, cnf []byte) map[string]int {
	t.Helper()
	name := filepath.Join(t.TempDir(), "ring.cnf")
	if err := os.WriteFile(name, cnf, 0o666); err != nil {
		t.Fatal(err)
	}
	statuses := make(map[string]int)
	for of, solve := range solvers {
		statuses[of] = solve(t, name)
	}
	return statuses
}

// runSolver runs a command on a DIMACS file.
func runSolver(t *testing.T, command []string, cnf string) int {
	out, err := exec.CommandContext(t.Context(), command[0], append(slices.Clone(command[1:]), cnf)...).CombinedOutput()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return exit.ExitCode()
	}
	t.Errorf("%s: %v\n%s", command[0], err, out)
	return 0
}

// gophersat runs the library of that name on a DIMACS file.
func gophersat(t *testing.T, cnf string) int {
	data, err := os.ReadFile(cnf)
	if err != nil {
		t.Fatal(err)
	}
	problem, err := solver.ParseCNF(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	switch status := solver.New(problem).Solve(); status {
	case solver.Sat:
		return satisfiableStatus
	case solver.Unsat:
		return unsatisfiableStatus
	default:
		return 0
	}
}

// checkOutside has a refutation checked by gophersat, which also accepts one without the empty clause.
func checkOutside(cnf, drat []byte) error {
	if !bytes.HasSuffix(drat, []byte("\n0\n")) && string(drat) != "0\n" {
		return errors.New("the last line is not the empty clause")
	}
	problem, err := explain.ParseCNF(bytes.NewReader(cnf))
	if err != nil {
		return err
	}
	valid, err := problem.Unsat(bytes.NewReader(drat))
	if err == nil && !valid {
		err = fmt.Errorf("gophersat does not accept the refutation of %d lines", bytes.Count(drat, []byte("\n")))
	}
	return err
}
