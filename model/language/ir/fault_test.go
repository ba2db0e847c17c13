package ir

import (
	"slices"
	"testing"

	"ringcheck/model/language/syntax"
)

// TestFaultTable: the entries are complete, their names tell them apart, and the parser knows exactly their keywords.
func TestFaultTable(t *testing.T) {
	var words, names []string
	for k := range FaultKinds {
		info := k.Info()
		for name, value := range map[string]string{"noun": info.Noun, "plural": info.Plural, "verb": info.Verb,
			"participle": info.Participle, "sign": info.Sign} {
			if value == "" {
				t.Errorf("fault %d has no %s", k, name)
			}
		}
		names = append(names, info.Noun, info.Plural, info.Verb+" as a verb")
		if k == CrashFault {
			continue
		}
		if info.Keyword == "" || info.Path == "" || info.Effect == nil {
			t.Errorf("%s has no keyword, path or effect", info.Noun)
		}
		if got, ok := FaultOf(info.Keyword); !ok || got != k {
			t.Errorf("%s stands for fault %d, %t", info.Keyword, got, ok)
		}
		words = append(words, info.Keyword)
	}
	if want := syntax.Words(syntax.ChannelClauses); !slices.Equal(append(words, "delay", "racing", "dropping"), want) {
		t.Errorf("the faults have the keywords %q, and the parser knows %q", words, want)
	}
	slices.Sort(names)
	if len(slices.Compact(names)) != len(names) {
		t.Errorf("a name occurs twice: %q", names)
	}
}

// TestEffects: a fault makes of a message nothing, copies of the message, or one other message of the same age, in as
// many ways as its kind says.
func TestEffects(t *testing.T) {
	m := &Message{Name: "M", Fields: []Field{{Name: "a", Type: IntType(3, 5)}, {Name: "b", Type: BoolType()}}}
	for k := range FaultKinds {
		info := k.Info()
		if info.Effect == nil {
			continue
		}
		for c := range m.Contents(nil) {
			c.Age = 2
			ways := uint32(0)
			for place := range info.Effect(c) {
				ways++
				if info.Changes && len(place) != 1 || !info.Changes && len(place) == 1 {
					t.Errorf("%s makes %d messages of one", info.Noun, len(place))
				}
				for _, d := range place {
					if same := d.Compare(c) == 0; d.Age != c.Age || same == info.Changes {
						t.Errorf("%s makes %v of %v", info.Noun, place, c)
					}
				}
			}
			if want := k.Count(m); ways != want {
				t.Errorf("%s has %d effects on %v, and %d on %v", info.Noun, ways, c, want, m.Name)
			}
		}
	}
}
