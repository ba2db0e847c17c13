package verify

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/property"
	"ringcheck/reduce/symmetry"
)

// TestJudge checks that the verdicts and warnings that a Judge reports are those of Check, in a quotient, too.
func TestJudge(t *testing.T) {
	total := many(60)
	compared, violated, warned, symmetric := 0, 0, 0, 0
	corpus := spectest.NewCorpus()
	for seed, src := range corpus.Specs(total, 14) {
		if seed%2 == 0 {
			src = spectest.Anonymous(src)
		}
		p := spectest.Instantiate(t, src, nil)
		sys := spectest.Compile(t, p)
		subjects := []Verifier{{System: sys}}
		if q, err := symmetry.Rotation(t.Context(), sys); err == nil {
			subjects = append(subjects, Verifier{System: sys, Searched: q})
		}
		for _, s := range subjects {
			properties := slices.DeleteFunc(slices.Clone(p.Properties), func(q *ir.Property) bool {
				return q.Kind == property.Recoverable || q.Kind == property.LTL || s.permits([]*ir.Property{q}) != nil
			})
			want, err := s.Check(t.Context(), properties, explore.Options{MaxStates: 3000})
			if err != nil || !want.Search.Complete() || len(properties) == 0 {
				continue
			}
			got := judged(t, s, properties)
			compared++
			corpus.Use(t, src)
			if s.Searched != nil {
				symmetric++
			}
			for i := range want.Judgments {
				w, g := &want.Judgments[i], &got.Judgments[i]
				w.Warnings = slices.DeleteFunc(w.Warnings, func(w ir.Warning) bool {
					return strings.Contains(w.Text, "wherever a run ends") // a Judge does not look for these
				})
				if g.Outcome != w.Outcome || g.Count != w.Count || g.Level != w.Level ||
					!slices.Equal(g.State, w.State) || fmt.Sprint(g.Warnings) != fmt.Sprint(w.Warnings) {
					t.Fatalf("seed %d, %s: %v, want %v\n%s", seed, w.Property.Name, *g, *w, src)
				}
				if w.Outcome == Violated {
					violated++
				}
				warned += len(w.Warnings)
			}
		}
	}
	t.Logf("%d compared, %d of them quotients; %d violated, %d warnings", compared, symmetric, violated, warned)
	if compared < int(total)/3 || violated < 5 || warned < 5 || symmetric < 5 {
		t.Error("too few cases were compared")
	}
	corpus.Check(t)
}

// judged searches without properties, and stores the observations in a map.
func judged(t *testing.T, s Verifier, properties []*ir.Property) *Result {
	t.Helper()
	j, err := NewJudge(t.Context(), s, properties)
	if err != nil {
		t.Fatal(err)
	}
	result := systemtest.Run(t, s.searched(), explore.Options{Observer: j})
	seen := make(map[string]*explore.Observation)
	var shown []int
	for class := range result.Classes {
		told, more := j.Letters(uint32(class))
		shown = append(shown, more...)
		if seen[told] == nil {
			seen[told] = &explore.Observation{}
		}
		unite(s.searched(), &seen[told].All, &result.Classes[class].All)
		unite(s.searched(), &seen[told].Quiescent, &result.Classes[class].Quiescent)
	}
	var observed []ClassObservation
	for told, o := range seen {
		observed = append(observed, ClassObservation{told, *o})
	}
	r, err := j.Report(t.Context(), result, observed, shown)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func unite(sys model.System, a, b *explore.Sighting) {
	count := a.Count + b.Count
	if b.Count > 0 && (a.Count == 0 || cmp.Or(cmp.Compare(b.Level, a.Level),
		model.Compare(sys, b.State, a.State)) < 0) {
		*a = *b
	}
	a.Count = count
}

// TestJudgeRefuses checks that a Judge refuses properties that take all states at once, and reports that do not agree
// with the states that come with them.
func TestJudgeRefuses(t *testing.T) {
	sys, unique := planted(t, "two-leaders", "unique")
	if _, err := NewJudge(t.Context(), Verifier{System: sys},
		[]*ir.Property{{Kind: property.Recoverable, Body: unique.Body}}); !errors.Is(err, ErrNeedsAll) {
		t.Errorf("recoverable: %v", err)
	}
	j, err := NewJudge(t.Context(), Verifier{System: sys}, []*ir.Property{unique})
	if err != nil {
		t.Fatal(err)
	}
	var initial []model.Value
	if err := sys.Initial(func(s []model.Value) bool { initial = slices.Clone(s); return false }); err != nil {
		t.Fatal(err)
	}
	wrong := []ClassObservation{{"F", explore.Observation{All: explore.Sighting{Count: 1, State: initial}}}}
	if r, err := j.Report(t.Context(), &explore.Result{}, wrong, nil); err == nil {
		t.Errorf("a state that does not violate the property was accepted: %v", r.Judgments)
	}
	if _, err := j.Report(t.Context(), &explore.Result{}, nil, []int{99}); err == nil {
		t.Error("a property number that does not exist was accepted")
	}
}
