package prove

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"sync"

	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model"
	"ringcheck/model/language/check"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/syntax"
	"ringcheck/reduce"
)

// A Check is the result of a search for the patterns of a proof in the states of a system.
type Check struct {
	reduce.Description
	Patterns int    `json:"patterns"`
	Holds    *bool  `json:"holds"`            // null: unknown, because a limit was reached
	Occurs   string `json:"occurs,omitempty"` // a pattern that occurs
	States   uint64 `json:"states"`
	explore.Ending
}

// CheckPatterns checks the certificate in a folder: the rules and the patterns that the property forbids, which it
// derives from the spec, and that the set of patterns is inductive. Then it explores the system and looks for the
// patterns in each state. The error is a *model.RequestError if the certificate is not one of this spec.
func CheckPatterns(ctx context.Context, sys *reduce.System, folder fs.FS, opt reduce.Search) (*Check, error) {
	prepared, err := reduce.Prepare(ctx, sys, opt)
	if err != nil {
		return nil, err
	}
	c := &Check{Description: prepared.Description()}
	var t *task
	var p *proof
	err = effort.Do(ctx, func() (err error) {
		data, err := readFile(folder, ProofFile)
		if err == nil {
			t, p, err = readProof(ctx, sys.Spec.Declarations, sys.Given, data, opt.Memory)
		}
		if err == nil {
			err = p.verify(t.effort, folder, data)
		}
		if err != nil {
			err = &model.RequestError{Option: "patterns", Err: err}
		}
		return err
	})
	if err != nil {
		return c, c.Stop(ctx, err)
	}
	protocol, err := t.protocol(sys.Given)
	if err != nil {
		return nil, err
	}
	full, err := compile.New(ctx, protocol, compile.Options{MaxMessages: opt.MaxChannel, MaxNat: opt.MaxNat})
	if err != nil {
		return nil, err
	}
	c.Patterns = len(p.patterns)
	text, result, err := p.explore(ctx, full, prepared.Search.ExploreOptions())
	if err != nil {
		return nil, err
	}
	c.Occurs = text
	c.States = result.States
	if c.Occurs == "" {
		c.Ending = result.Ending()
	}
	if holds := c.Occurs == ""; !holds || c.Complete {
		c.Holds = &holds
	}
	return c, nil
}

// explore explores a system and looks for the patterns of a proof in each state. It returns the text of a pattern that
// occurs.
func (p *proof) explore(
	ctx context.Context, sys *compile.System, opt explore.Options,
) (text string, r *explore.Result, err error) {
	var once sync.Once
	w := newAbstractor(p.translation, sys)
	occurring := p.patternFinder(p.patterns, sys.Protocol().N)
	opt.Match = func(_ int, state []model.Value) bool {
		found := ""
		if atoms, err := w.atoms(state); err != nil {
			found = err.Error()
		} else {
			found = occurring(atoms)
		}
		if found != "" {
			once.Do(func() { text = found })
		}
		return found != ""
	}
	r, err = explore.Run(ctx, w.system(), opt)
	return text, r, err
}

// readProof returns the proof of a certificate, which must be for a spec with these settings: all but the patterns that
// the property does not forbid, and the places in the text, which may be in a file of another name, follows from the
// spec.
func readProof(
	ctx context.Context, spec *check.Spec, given map[string]string, data []byte, memory uint64,
) (*task, *proof, error) {
	var r record
	if err := json.Unmarshal(data, &r); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", ProofFile, err)
	}
	fixed := maps.Clone(given)
	for _, p := range spec.Params {
		if r.Given[p.Name] == "" {
			delete(fixed, p.Name)
		}
	}
	if err := sameSettings(spec, given, r.Given); err != nil {
		return nil, nil, err
	}
	t, err := newTask(ctx, spec, fixed, Options{Property: r.Property, Memory: memory})
	if err != nil {
		return nil, nil, err
	}
	x, protocol, err := t.translate(abstraction{r.Coarse, r.Counts, r.Zero})
	if err != nil {
		return nil, nil, err
	}
	goals, _, err := t.goalsAndHints(x, protocol)
	if err != nil {
		return nil, nil, err
	}
	p := &proof{x, r.Given, t.report.Property, nil, goals, x.largestRing(), t.Memory}
	if !bytes.Equal(r.rules(), p.record().rules()) {
		return nil, nil, fmt.Errorf("%s is not for this spec with these options", ProofFile)
	}
	if err := p.setPatterns(r.Patterns); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", ProofFile, err)
	}
	same := p.record()
	for i := range same.Rules {
		same.Rules[i].At = r.Rules[i].At
	}
	if !bytes.Equal(same.encode(), data) {
		return nil, nil, fmt.Errorf("%s does not have the form that prove writes", ProofFile)
	}
	return t, p, nil
}

// sameSettings returns an error if a system with given settings has another value of a parameter or an option than the
// proof.
func sameSettings(spec *check.Spec, given, proved map[string]string) error {
	system, err := spec.Instantiate(given)
	if err != nil {
		return err
	}
	all := maps.Clone(given)
	maps.Copy(all, proved)
	other, err := spec.Instantiate(all)
	if err != nil {
		return err
	}
	values := slices.Concat(system.Params, system.Options)
	for i, p := range slices.Concat(other.Params, other.Options) {
		if p.Value != values[i].Value {
			return fmt.Errorf("%s is for %s = %s", ProofFile, p.Name, p.Type.Format(p.Value))
		}
	}
	return nil
}

// setPatterns sets the patterns of a proof. The error is about a pattern that is invalid, may occur in an initial
// state, or is missing.
func (p *proof) setPatterns(list []patternRecord) error {
	known := make(map[string]bool)
	for _, q := range list {
		var atoms []atom
		for _, numbers := range q.Atoms {
			a, ok := p.parseAtom(numbers, q.Width)
			if !ok {
				return errors.New("a pattern is invalid")
			}
			atoms = append(atoms, a)
		}
		l := pattern{atoms, q.Width}
		switch {
		case len(atoms) == 0, q.Width > 3, known[l.key()], canonical(atoms).key() != l.key():
			return errors.New("a pattern is invalid")
		case p.mayBeInitial(l):
			return fmt.Errorf("a pattern may occur in an initial state: %s", p.describe(l))
		}
		known[l.key()] = true
		p.patterns = append(p.patterns, l)
	}
	for _, g := range p.goals {
		if !known[g.key()] {
			return fmt.Errorf("a pattern that %s forbids is missing: %s", p.property, p.describe(g))
		}
	}
	return nil
}

// rules returns all but the patterns and the places in the text, as JSON.
func (r record) rules() []byte {
	r.Patterns, r.Rules = nil, slices.Clone(r.Rules)
	for i := range r.Rules {
		r.Rules[i].At = syntax.Pos{}
	}
	return effort.Must(json.Marshal(r))
}

// parseAtom returns the atom that a list of numbers of a certificate represents, over width nodes.
func (x *translation) parseAtom(list []int, width int) (a atom, ok bool) {
	if len(list) < 2 {
		return atom{}, false
	}
	number, absent := list[0], list[0] < 0
	if absent {
		number = ^number
	}
	relation := int32(min(number, int(x.firstRelation[queueHead])))
	if relation == x.firstRelation[queueHead] || absent && !x.isExact(relation) || len(list) != 1+x.arity(relation) ||
		slices.Min(list[1:]) < 0 || slices.Max(list[1:]) >= width {
		return atom{}, false
	}
	a = newAtom(relation, list[1:]...)
	a.absent = absent
	return a, true
}

// patternFinder returns a function of the atoms of a state of a ring of n. The function describes a pattern of a list
// that occurs in the state. It returns "" if none occurs.
func (x *translation) patternFinder(patterns []pattern, n int) func(atoms []atom) string {
	type occurrence struct {
		pattern
		atoms []atom
	}
	none := atom{relation: -1}
	by := make(map[atom][]occurrence) // by the first atom that is not negated, or by none
	for _, q := range patterns {
		eachOrderedTuple(n, q.width, func(nodes []int) {
			atoms, first := q.withNodes(nodes), none
			if i := slices.IndexFunc(atoms, func(a atom) bool { return !a.absent }); i >= 0 {
				first = atoms[i]
			}
			by[first] = append(by[first], occurrence{q, atoms})
		})
	}
	return func(atoms []atom) string {
		there := make(map[atom]bool)
		for _, a := range atoms {
			there[a] = true
		}
		differs := func(a atom) bool {
			absent := a.absent
			a.absent = false
			return there[a] == absent
		}
		for _, a := range append(atoms, none) {
			for _, o := range by[a] {
				if !slices.ContainsFunc(o.atoms, differs) {
					return x.describe(o.pattern)
				}
			}
		}
		return ""
	}
}
