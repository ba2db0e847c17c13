package prove

import (
	"bytes"
	"errors"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"ringcheck/explore"
	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/testlevel"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/reduce"
)

// folder returns the certificate of a proof.
func folder(t *testing.T, p *proof) fstest.MapFS {
	t.Helper()
	files := make(fstest.MapFS)
	for _, f := range p.files(t.Context()) {
		files[f.Name] = &fstest.MapFile{Data: f.Data}
	}
	return files
}

// refused returns the error with which a certificate of chang-roberts is refused, nil if it is accepted.
func refused(t *testing.T, files fs.FS) error {
	t.Helper()
	sys, err := loadtest.Load("chang-roberts", reduce.Set{"n": "3"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := CheckPatterns(t.Context(), sys, files, reduce.Search{})
	if request := (*model.RequestError)(nil); errors.As(err, &request) {
		return err
	}
	if err != nil || c.Holds == nil || !*c.Holds || c.States != 315 {
		t.Errorf("%+v, %v", c, err)
	}
	return nil
}

// regenerated returns what regenerate.py reports of a certificate that it refuses; nil if it accepts the certificate.
func regenerated(t *testing.T, files fstest.MapFS) error {
	t.Helper()
	dir := t.TempDir()
	for name, f := range files {
		if err := os.WriteFile(filepath.Join(dir, name), f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	script := filepath.Join(dir, "regenerate.py")
	if err := os.WriteFile(script, regenerate, 0o666); err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), "python3", script, dir).CombinedOutput()
	if err != nil {
		return errors.New(string(out))
	}
	return nil
}

// A forgery is a certificate of chang-roberts that proves nothing. Its files agree with one another.
type forgery struct {
	name  string
	forge func(p *proof)
	blind bool // regenerate.py, which does not read the spec, cannot know
}

var forgeries = []forgery{
	{"no patterns", func(p *proof) { p.patterns = nil }, false},
	{"neither patterns nor goals", func(p *proof) { p.patterns, p.goals = nil, nil }, false},
	{"no goal is marked", func(p *proof) { p.goals = nil }, false},
	{"all are goals", func(p *proof) { p.goals = p.patterns }, true},
	{"without a goal", func(p *proof) { p.patterns, p.goals = p.patterns[1:], p.goals[1:] }, false},
	{"another goal", func(p *proof) { p.goals = append(p.goals[1:], p.patterns[5]) }, true},
	{"without a lemma", func(p *proof) { p.patterns = slices.Delete(p.patterns, 5, 6) }, false},
	{"without the last lemma", func(p *proof) { p.patterns = p.patterns[:len(p.patterns)-1] }, false},
	{"a pattern twice", func(p *proof) { p.patterns = append(p.patterns, p.patterns[7]) }, false},
	{"a pattern without an atom", func(p *proof) { p.patterns[6].atoms = p.patterns[6].atoms[1:] }, false},
	{"an empty pattern", func(p *proof) { p.patterns[6].atoms = nil }, false},
	{"a wider pattern", func(p *proof) { p.patterns[6].width = 4 }, false},
	{"a pattern that occurs at the beginning", func(p *proof) {
		begin := p.relation(atControl, p.initial.Others.Controls[0])
		p.patterns = append(p.patterns, pattern{[]atom{newAtom(begin, 0)}, 1})
	}, false},
	{"a pattern that occurs later", func(p *proof) {
		p.patterns = append(p.patterns, pattern{[]atom{newAtom(p.relation(atControl, len(p.controls)-1), 0)}, 1})
	}, false},
	{"without a rule", func(p *proof) { p.rules = p.rules[1:] }, true},
	{"a rule twice", func(p *proof) { p.rules = append(p.rules, p.rules[0]) }, true},
	{"no rules", func(p *proof) { p.rules = nil }, false},
	{"a condition more", func(p *proof) {
		for i := range p.rules {
			if len(p.rules[i].Symbols) > 0 {
				p.rules[i].Conds = append(p.rules[i].Conds, condition{A: 0, B: 1, Less: true})
			}
		}
	}, true},
	{"without a message received", func(p *proof) {
		i := slices.IndexFunc(p.rules, func(r rule) bool { return r.Received >= 0 })
		p.rules[i].Received, p.rules[i].Origins = -1, nil
	}, false},
	{"without a message sent", func(p *proof) {
		for i := range p.rules {
			p.rules[i].Sent, p.rules[i].Targets = -1, nil
		}
	}, true},
	{"another control", func(p *proof) { p.rules[0].To = p.rules[0].From }, true},
	{"without an initial control", func(p *proof) { p.initial = initialStates{} }, true},
	{"without the largest ring", func(p *proof) { p.largest-- }, false},
	{"a larger ring", func(p *proof) { p.largest++ }, false},
	{"another property", func(p *proof) { p.property = "elected" }, true},
	{"another option", func(p *proof) { p.given = map[string]string{"ids": "descending"} }, true},
}

// TestForgery: a certificate that is not one of the spec is refused, though its files agree with one another.
func TestForgery(t *testing.T) {
	t.Parallel()
	shared := prove(t, test{"chang-roberts", nil}).proof
	if err := refused(t, folder(t, shared)); err != nil {
		t.Fatal(err)
	}
	_, none := exec.LookPath("python3")
	if err := error(nil); none == nil {
		if err = regenerated(t, folder(t, shared)); err != nil {
			t.Fatal(err)
		}
	}
	for _, f := range forgeries {
		x, p := *shared.translation, *shared
		p.translation, x.rules = &x, slices.Clone(x.rules)
		for i := range x.rules {
			x.rules[i].Conds = slices.Clone(x.rules[i].Conds)
		}
		p.patterns, p.goals = slices.Clone(p.patterns), slices.Clone(p.goals)
		f.forge(&p)
		files := folder(t, &p)
		if err := refused(t, files); err == nil {
			t.Errorf("%s: the certificate is accepted", f.name)
		} else {
			t.Logf("%s: %v", f.name, err)
		}
		if none != nil || f.blind && !testlevel.Long() {
			continue
		}
		switch err := regenerated(t, files); {
		case (err == nil) != f.blind, err != nil && strings.Contains(err.Error(), "Traceback"):
			t.Errorf("%s: regenerate.py: %v", f.name, err)
		default:
			t.Logf("%s: regenerate.py: %v", f.name, err)
		}
	}
}

// TestDamage: a certificate is refused if a file is another one, or another member of proof.json is in place of one.
func TestDamage(t *testing.T) {
	t.Parallel()
	whole := folder(t, prove(t, test{"chang-roberts", nil}).proof)
	_, none := exec.LookPath("python3")
	tried := 0
	damage := func(name string, change func(files fstest.MapFS)) {
		files := maps.Clone(whole)
		tried++
		change(files)
		if err := refused(t, files); err == nil {
			t.Errorf("%s: the certificate is accepted", name)
		}
		if none != nil || !testlevel.Long() && tried%5 > 0 {
			return
		}
		if err := regenerated(t, files); err == nil || strings.Contains(err.Error(), "Traceback") {
			t.Errorf("%s: regenerate.py: %v", name, err)
		}
	}
	set := func(files fstest.MapFS, name string, data []byte) { files[name] = &fstest.MapFile{Data: data} }
	for _, name := range slices.Sorted(maps.Keys(whole)) {
		f := whole[name]
		if name == "README.md" || name == "regenerate.py" {
			continue
		}
		lines := bytes.SplitAfter(f.Data, []byte("\n"))
		damage("without "+name, func(files fstest.MapFS) { delete(files, name) })
		damage("empty "+name, func(files fstest.MapFS) { set(files, name, nil) })
		damage("twice "+name, func(files fstest.MapFS) { set(files, name, slices.Concat(f.Data, f.Data)) })
		damage("a line less in "+name, func(files fstest.MapFS) {
			set(files, name, bytes.Join(lines[:len(lines)-2], nil))
		})
		damage("the first line less in "+name, func(files fstest.MapFS) {
			set(files, name, bytes.Join(lines[1:],
				nil))
		})
		damage("another "+name, func(files fstest.MapFS) {
			other := strings.NewReplacer("2", "3", "3", "2", "4", "5", "5", "4").Replace(name)
			set(files, name, slices.Clip(append(slices.Clone(whole[other].Data), ' ')))
		})
	}
	damage("another ring", func(files fstest.MapFS) { files["ring-9.cnf"] = files["ring-5.cnf"] })
	data := string(whole[ProofFile].Data)
	for _, other := range []string{
		data + data, data + " ", " " + data, strings.Replace(data, `"rules":`, `"rules":null,"rules":`, 1),
		strings.Replace(data, `"patterns":`, `"patterns":[],"patterns":`, 1), strings.TrimSuffix(data, "}\n") + `,"patterns":[]}`,
		strings.TrimSuffix(data, "}\n") + `,"PATTERNS":[]}` + "\n", strings.TrimSuffix(data, "}\n") + `,"more":1}` + "\n",
		strings.Replace(data, "never", "ever", 1), strings.Replace(data, `"goal":true`, `"goal":false`, 1),
		strings.Replace(data, `"goal":true`, `"goal":1`, 1), strings.Replace(data, `"less":true`, `"less":false`, 1),
		"null", "[]", "{}", "7", strings.Replace(data, `"property":"unique"`, `"property":"elected"`, 1),
	} {
		damage(strings.TrimSpace(other[max(0, len(other)-40):]), func(files fstest.MapFS) {
			set(files, ProofFile,
				[]byte(other))
		})
	}
	numbers, r := regexp.MustCompile(`-?\d+`).FindAllStringIndex(data, -1), rand.New(rand.NewPCG(1, 2))
	for range 20 {
		at := numbers[r.IntN(len(numbers))]
		n := strconv.Itoa(r.IntN(8) - 1)
		if n == data[at[0]:at[1]] {
			continue
		}
		damage(data[max(0, at[0]-9):at[1]]+" is "+n, func(files fstest.MapFS) {
			set(files, ProofFile, []byte(data[:at[0]]+n+data[at[1]:]))
		})
	}
}

// TestMoved: a certificate of a spec that was in another folder is accepted. Memory bounds the work.
func TestMoved(t *testing.T) {
	t.Parallel()
	p := *prove(t, test{"chang-roberts", nil}).proof
	x := *p.translation
	p.translation, x.rules = &x, slices.Clone(x.rules)
	x.rules[0].At.File = "elsewhere/chang-roberts.ring"
	files := folder(t, &p)
	if err := refused(t, files); err != nil {
		t.Error(err)
	}
	sys, err := loadtest.Load("chang-roberts", reduce.Set{"n": "3"})
	if err != nil {
		t.Fatal(err)
	}
	c, err := CheckPatterns(t.Context(), sys, files, reduce.Search{Memory: 1000})
	if err != nil || c.Stopped != "memory" {
		t.Errorf("with 1,000 bytes: got %+v, %v, want that memory ended it", c, err)
	}
}

// TestNegatedAtom: a process that is not at a control point has no variable there, so that the variable holds nothing.
func TestNegatedAtom(t *testing.T) {
	t.Parallel()
	sys, err := loadtest.Load("../../examples/le-lann.ring", reduce.Set{"n": "2"})
	if err != nil {
		t.Fatal(err)
	}
	task, err := newTask(t.Context(), sys.Spec.Declarations, nil, Options{Property: "least"})
	if err != nil {
		t.Fatal(err)
	}
	x, _, err := task.translate(abstraction{})
	if err != nil {
		t.Fatal(err)
	}
	list := slices.IndexFunc(x.nodeVars, func(h nodeVar) bool { return h.Set })
	lacks := newAtom(x.relation(stores, list), 0, 0).negate()
	p := &proof{translation: x, patterns: []pattern{{[]atom{lacks}, 1}}}
	protocol, err := task.protocol(sys.Given)
	if err != nil {
		t.Fatal(err)
	}
	small, err := compile.New(t.Context(), protocol, compile.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if text, _, err := p.explore(t.Context(), small, explore.Options{}); err != nil || text == "" {
		t.Errorf("got %q, %v, want that the pattern occurs", text, err)
	}
}
