package prove

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"ringcheck/internal/effort"
	"ringcheck/verify/prove/sat"
)

// readFile returns the content of a regular file.
func readFile(folder fs.FS, name string) ([]byte, error) {
	info, err := fs.Stat(folder, name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s is missing", name)
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file", name)
	}
	return fs.ReadFile(folder, name)
}

// verify returns an error unless a folder has, for each ring of a proof and for no other one, the clauses and a
// refutation of them.
func (p *proof) verify(f *effort.Effort, folder fs.FS, proofJSON []byte) error {
	var names []string
	for n := 2; n <= p.largest; n++ {
		clauses, refutation := ringFile(n, ".cnf"), ringFile(n, ".drat")
		names = append(names, clauses, refutation)
		cnf, err := readFile(folder, clauses)
		if err != nil {
			return err
		}
		if !bytes.Equal(cnf, p.cnf(n, proofJSON)) {
			return fmt.Errorf("%s does not have the clauses for the rules and the patterns of %s", clauses, ProofFile)
		}
		drat, err := readFile(folder, refutation)
		if err != nil {
			return err
		}
		if err := p.checkRefutation(f, n, drat); err != nil {
			return fmt.Errorf("%s is not a refutation of %s: %w", refutation, clauses, err)
		}
	}
	there, err := fs.Glob(folder, "ring-*")
	if err != nil {
		return err
	}
	for _, name := range there {
		if !slices.Contains(names, name) {
			return fmt.Errorf("%s is not part of the proof, which has rings of 2 to %d", name, p.largest)
		}
	}
	return nil
}

// checkRefutation returns an error unless each line of a refutation follows from the clauses for a ring of n and the
// lines before it by unit propagation, and the last one is the empty clause.
func (p *proof) checkRefutation(f *effort.Effort, n int, drat []byte) error {
	s := &sat.Solver{}
	p.clauses(n, s.Add)
	held, empty := uint64(0), false
	defer func() { f.Release(held) }()
	number := 0
	for line := range bytes.Lines(drat) {
		number++
		f.Hold(s.Bytes - held)
		held = s.Bytes
		lits, ok := literals(line)
		switch {
		case !ok || empty:
			return fmt.Errorf("line %d is not a clause of a refutation", number)
		case !s.Follows(lits...):
			return fmt.Errorf("line %d does not follow", number)
		}
		s.Add(lits...)
		empty = len(lits) == 0
	}
	if !empty {
		return errors.New("the last line is not the empty clause")
	}
	return nil
}

// literals returns the literals of a line of a refutation. The line has numbers, and 0 at its end.
func literals(line []byte) (lits []sat.Lit, ok bool) {
	fields := bytes.Fields(line)
	for i, field := range fields {
		l, err := strconv.ParseInt(string(field), 10, 32)
		switch {
		case err != nil, l <= -1<<31:
			return nil, false
		case l == 0:
			return lits, i == len(fields)-1
		}
		lits = append(lits, sat.Lit(l))
	}
	return nil, false
}
