package syntax_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"ringcheck/model/language/syntax"
)

// TestPrecedence checks that expressions with and without superfluous parentheses print alike.
func TestPrecedence(t *testing.T) {
	tests := []struct{ short, long string }{
		{"a => b => c", "a => (b => c)"},
		{"a or b and c", "a or (b and c)"},
		{"not a and b", "(not a) and b"},
		{"not a = b", "not (a = b)"},
		{"a or b or c", "(a or b) or c"},
		{"a + b * c - d", "(a + (b * c)) - d"},
		{"a - b - c", "(a - b) - c"},
		{"-a ^ b", "-(a ^ b)"},
		{"2 ^ -1", "2 ^ (-1)"},
		{"a ^ b ^ c", "a ^ (b ^ c)"},
		{"a ^ b * c", "(a ^ b) * c"},
		{"a + 1 in s union r minus q", "(a + 1) in ((s union r) minus q)"},
		{"a with [1] = x + 1 with [2] = y", "((a with [1] = (x + 1)) with [2] = y)"},
		{"a with [1] = x = b", "(a with [1] = x) = b"},
		{"p at A and m is M", "(p at A) and (m is M)"},
		{"a.b[c].d + 1", "((a.b)[c].d) + 1"},
		{"if a then b else c + 1", "if a then b else (c + 1)"},
		{"forall p in node: a and b => c", "forall p in node: ((a and b) => c)"},
		{"a and forall p in node: b or c", "a and (forall p in node: (b or c))"},
		{"1 + count p in node: a or b", "1 + (count p in node: (a or b))"},
	}
	for _, test := range tests {
		short, long := printedConst(t, test.short), printedConst(t, test.long)
		if short != long {
			t.Errorf("%s is not %s:\n%s%s", test.short, test.long, short, long)
		}
	}
}

func printedConst(t *testing.T, expr string) string {
	t.Helper()
	return string(syntax.Print(parse(t, []byte("protocol p\nconst c = "+expr))))
}

// TestLayoutIsFree parses declarations without line breaks between them.
func TestLayoutIsFree(t *testing.T) {
	f := parse(t, []byte(`protocol p const m = n A = B C(x) = send right Send; Send D = leader; stop var x: Id E = stop
		type T = a | b F = draw x; G(x) G(x) = if x then A else B | C invariant i = p at A H = skip
		;
		stop channel fifo const c = channel = fifo`))
	var names []string
	for _, d := range equations(f) {
		names = append(names, d.Name)
	}
	if got, want := strings.Join(names, " "), "A C D E F G H"; got != want {
		t.Errorf("equations %s, want %s", got, want)
	}
}

// TestEventOrCall checks that a name is a call at the end of a sequence and an event elsewhere.
func TestEventOrCall(t *testing.T) {
	f := parse(t, []byte("protocol p\nA = leader; leader"))
	prefix, ok := equations(f)[0].Body.(*syntax.PrefixTerm)
	if !ok {
		t.Fatalf("the body is a %T", equations(f)[0].Body)
	}
	if _, ok := prefix.Action.(*syntax.EventAction); !ok {
		t.Errorf("the first name is a %T", prefix.Action)
	}
	if _, ok := prefix.Next.(*syntax.CallTerm); !ok {
		t.Errorf("the second name is a %T", prefix.Next)
	}
}

// TestBars checks that a bar binds weaker than everything else in a sequence.
func TestBars(t *testing.T) {
	f := parse(t, []byte("protocol p\nA = skip; if x then B else C | when y: skip; D | E"))
	c, ok := equations(f)[0].Body.(*syntax.ChoiceTerm)
	if !ok || len(c.Terms) != 3 {
		t.Fatalf("the body is %T, want a choice of three", equations(f)[0].Body)
	}
	if _, ok := c.Terms[0].(*syntax.PrefixTerm).Next.(*syntax.IfTerm); !ok {
		t.Errorf("the first alternative does not end with if")
	}
}

func TestPositions(t *testing.T) {
	f := parse(t, []byte("\ufeffprotocol p\r\n// é\r\n\tA = stop"))
	if got := equations(f)[0].Body.TermPos(); got.Line != 3 || got.Column != 6 {
		t.Errorf("stop is at %v, want 3:6", got)
	}
}

// TestLongWords checks that errors about names, numbers and strings of any length are short.
func TestLongWords(t *testing.T) {
	letters, digits := strings.Repeat("a", 100_000), strings.Repeat("9", 100_000)
	for _, src := range []string{letters, "protocol p\n" + letters, "protocol p\nconst " + letters + " = 1 1",
		"protocol p\nconst a = " + digits, "protocol p\nconst a = " + digits + letters,
		"protocol p\nA = " + letters + strings.Repeat("é", 100_000), "protocol p\nconst \"" + letters + "\" = 1",
		"protocol p\nprobability q = P(terminal) >= 0." + digits, "protocol p\nconst " + strings.Repeat("é", 1000)} {
		_, err := syntax.Parse("p.ring", []byte(src))
		if err == nil || len(err.Error()) > 1000 || !utf8.ValidString(err.Error()) {
			t.Errorf("%.40s…: an error of %d bytes: %.60s", src, len(fmt.Sprint(err)), fmt.Sprint(err))
		}
	}
	if _, err := syntax.Parse("p.ring", []byte("protocol p\n"+strings.Repeat("a=b ", 1_000_000))); err == nil ||
		!strings.Contains(err.Error(), "at most 500000 words") {
		t.Errorf("a million equations: %.60s", fmt.Sprint(err))
	}
	name := strings.Repeat("a", 255)
	if _, err := syntax.Parse("p.ring", []byte("protocol p\nconst "+name+" = 1")); err != nil {
		t.Error(err)
	}
}

func TestComments(t *testing.T) {
	f := parse(t, []byte(`// one
// two

protocol p // three
// four

// five
const a = 1 // six
// seven
const b = // eight
  2
// nine
`))
	want := map[string]struct {
		decl   string
		beside bool
	}{
		"one two": {"p", false},
		"three":   {"p", true},
		"four":    {"a", false},
		"five":    {"a", false},
		"six":     {"a", true},
		"seven":   {"b", false},
		"eight":   {"b", false},
		"nine":    {"", false},
	}
	for _, c := range f.Comments {
		lines := strings.Join(c.Lines, " ")
		w, ok := want[lines]
		if !ok {
			t.Errorf("unexpected comment %q", lines)
			continue
		}
		delete(want, lines)
		decl := c.Before
		if w.beside {
			decl = c.Beside
		}
		if got := declName(decl); got != w.decl {
			t.Errorf("comment %q belongs to %q, want %q", lines, got, w.decl)
		}
	}
	for lines := range want {
		t.Errorf("no comment %q", lines)
	}
}

func declName(d syntax.Decl) string {
	switch d := d.(type) {
	case *syntax.File:
		return d.Name
	case *syntax.ConstDecl:
		return d.Name
	}
	return ""
}

func BenchmarkParse(b *testing.B) {
	src := []byte(specs(b)["franklin.ring"])
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := syntax.Parse("franklin.ring", src); err != nil {
			b.Fatal(err)
		}
	}
}

func equations(f *syntax.File) []*syntax.EquationDecl { return syntax.All[*syntax.EquationDecl](f) }
