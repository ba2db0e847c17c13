package syntax_test

import (
	"bytes"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ringcheck/internal/test/filetest"
	"ringcheck/model/language/syntax"
)

// everything is a spec that uses every construct of the language.
const everything = `// What every spec may begin with.

protocol every-thing "all of it" // beside
source "a \"paper\", Sect. 2 \\ 3"
// of n
param n: 2..16 = 2 "ring size"
param k: 1..n
option bits: bool = true "bits"
option order: any | left = any
option modulus: 1..16 = 2
const m = 2 * n - -1 ^ (2 + k)
type Verdict = yes | no
type Id = 0..(if bits then k else n) - 1

topology undirected ring of n
channel unordered | fifo = unordered, lossy at most 2, duplicating, delay 1 .. n-1, racing if bits "order"
var id, i: 1..k
var s: set of node
var a, c: array 0..n - 1 of bool if bits and not (order = left)
message M(id: 1..k, hop: 1..n, bit: bool if bits) "the message"
message Nothing
event elected(id: 1..k)
assign uid: permutation of 1..n if bits
assign any: Verdict
process p = if p = 0 then Start(uid[p]) else (Other | Start(0))
A = B C(x) = stop D = skip; stop // three on one line
Start(id) =
    draw i; draw i in 1..k; draw i in s minus {p}; draw bit with 1/3; draw i in {1: 1/2, 2: 1 - 1/2};
    choose i in {(forall q in s: q = 1), 2};
    // inside
    let a = a with [i + 1] = (not true) with [2] = false;
    send opposite(d) M(id, 1, {}); send (if bits then left else right) Nothing;
    recv _ M(_, n, id) where id = n => bits and channel = fifo; when bits: elected(id);
    if i in s then stop else if a[1] then Start(size(s)) else (stop | when bits: leader; stop | (A | B))
  | recv (d) Nothing; let c = all(false); B
crash at most  (n - 1) of q where q != 0 and q > 1 recover Start(q, 1)
invariant cr = 1 crashed and not (p + 1) crashed
message A, B(x: node) "b", C
process hub = A
process leaf [ p in 1 .. n-1] = B | C(p)
event one, two(x: 1..n)
register r, t: 0..k - 1 = 0 if bits
initially B(1), C in inbox( (1), left)
initially A in inbox(p, q) for p in node, q in {1..p} where p != q and bits if not bits
ghost seen: bool = false
define low = { 1 .. (n) } union {1,2}
timer clock: 0..9
Loops(keep id, i) = for q in node where q != 1: send q M(1); for q in 1..n: (r := q + 1; recv q _; elected(q) | recv _ _ where q = 2; for i in s: skip); send 0 M; B
Coin = draw b with 1/3; if b then crash else (skip; Coin)
Deaf = recv left M(i, _, _); Deaf | ignore A, B | for i in {q in node where q in s}: leader; (for i in node: (skip); stop)
define f(p, i: 1..n, v: Verdict) = max(p.id, neighbour(p, left).id) + (if i = 1 then 2 else 3) * 4 div 5 mod 6
define none = not exists p in node, d in dir, b in bool, v in Verdict: p at A
invariant x "doc" = (forall p in node: p at A => (count m in inbox(p, left): m is M and m.hop = n) = 1) and none if bits
terminal y = (a => b) => c => ((d or e) and f or not (g and h)) and (x = y) = (not z)
reachable z = -(-x) - (y - z) - 2^3^4 + (2^3)^4 + (a union b) minus c != sum q in 1..n: q
recoverable w = (a with [1] = 2)[3] = 4 or (p.x).y = f()[1].z
ltl l "doc" = G ((p at A) => (F e happens)) and (not (a U (b W terminal))) leads   to X p at B under strongly fair if bits
ltl n = forall p in node: (G F p at A) under fair and strongly fair of A,Nothing and probability one if bits
ltl m = (a and b) U c R d or (a -> b) U (e happens)
ltl very_long_name = (always (aaaaaaaaaaaaaaaaaaaaaaaaaaaaa => bbbbbbbbbbbbbbbbbbbbbbbbbbbbbb)) and eventually ccccccccccccccccccccc
probability quick "soon" = P(within 2*n: e happens or terminal) >= 0.95 under uniform
expected cheap = E(bits until (terminal)) < 3/2 if bits
reward bits "size" = log2ceil(id) per send M
reward all_of_it = 1 per step
role leader = p at A "elected" green
role other = (not p at A)

// The end.

// The very end.
`

func TestPrintRoundTrip(t *testing.T) {
	for name, src := range specs(t) {
		t.Run(name, func(t *testing.T) { checkRoundTrip(t, []byte(src)) })
	}
}

// checkRoundTrip prints the spec src, and what is parsed from that.
func checkRoundTrip(t *testing.T, src []byte) {
	t.Helper()
	f := parse(t, src)
	first := syntax.Print(f)
	g := parse(t, first)
	places := []cmp.Option{cmpopts.IgnoreTypes(syntax.Pos{}, syntax.Extent{}), cmpopts.IgnoreUnexported(syntax.File{})}
	if diff := cmp.Diff(f, g, places...); diff != "" {
		t.Errorf("the tree changed:\n%s\nprinted:\n%s", diff, first)
	}
	if second := syntax.Print(g); !bytes.Equal(first, second) {
		t.Errorf("the text changed: %s", cmp.Diff(string(first), string(second)))
	}
}

func parse(t *testing.T, src []byte) *syntax.File {
	t.Helper()
	f, err := syntax.Parse("", src)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f
}

// specs returns all specs that tests can use.
func specs(t testing.TB) map[string]string {
	t.Helper()
	all := map[string]string{"everything": everything}
	paths, err := filepath.Glob("../../../specs/*.ring")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		src := filetest.Read(t, path)
		all[filepath.Base(path)] = string(src)
	}
	if len(all) < 6 {
		t.Fatalf("found %d specs, want all of the catalogue", len(all))
	}
	return all
}

// TestShippedLayout: the specs of the repository are in the layout of Print.
func TestShippedLayout(t *testing.T) {
	const root = "../../.."
	found := 0
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		hidden := strings.HasPrefix(entry.Name(), ".") && path != root
		if err == nil && entry.IsDir() && (hidden || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if err != nil || filepath.Ext(path) != ".ring" {
			return err
		}
		found++
		src := filetest.Read(t, path)
		if got := syntax.Print(parse(t, src)); !bytes.Equal(got, src) {
			t.Errorf("%s: ringcheck fmt changes it: %s", path, cmp.Diff(string(src), string(got)))
		}
		return nil
	})
	if err != nil || found < 25 {
		t.Errorf("%d specs: %v", found, err)
	}
}

// TestPrintComposed: Print keeps the lines and the comments of the author wherever a line can be broken.
func TestPrintComposed(t *testing.T) {
	const composed = `protocol composed

var a: 0..3     // two lines,
var other: 0..3 // one column

const c = 1          // adjacent comments behind lines of
const longer = 22222 // different columns get one column

A(a) =
    // the first alternative
    recv left M(a); // which has two steps
    B(a)
    // waits
  | when a > 0:
        // only then
        recv right M(a); A(a)
  | if a = 0 then stop // the branch
    // otherwise
    else send left M(a); send right M(a);
        A(a)

define low =
    a < 1
    // one of these
    and (b
         or c) // or none
    and d

invariant i "doc" =
    // of all
    forall p in node:
        p at A
    if c = 1 // under this condition
`
	behindBar := strings.Replace(composed, "    // waits\n  | when", "  | // waits\n  when", 1)
	for _, text := range []string{composed, behindBar} {
		if got := string(syntax.Print(parse(t, []byte(text)))); got != composed {
			t.Errorf("the text changed: %s", cmp.Diff(composed, got))
		}
	}
}

// TestPrintComments puts comments and line breaks at random places of specs. Printing loses no comment, and printing
// the result again does not change it. Most comments inside declarations stay there.
func TestPrintComments(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	inserted, inside := 0, 0
	for _, src := range specs(t) {
		for range 20 {
			lines := strings.Split(src, "\n")
			var comments []string
			for range 1 + rng.IntN(6) {
				i := rng.IntN(len(lines))
				at := randomBlank(rng, lines[i])
				if at < 0 || i < 3 {
					continue
				}
				comment := fmt.Sprintf("// comment %d", len(comments))
				comments = append(comments, comment)
				if rng.IntN(2) == 0 {
					comment = "\n" + comment
				}
				lines[i] = lines[i][:at] + " " + comment + "\n" + lines[i][at:]
				lines = strings.Split(strings.Join(lines, "\n"), "\n")
			}
			text := []byte(strings.Join(lines, "\n"))
			if _, err := syntax.Parse("", text); err != nil {
				continue // some words must follow on the same line
			}
			checkRepeat(t, text)
			got := syntax.Print(parse(t, text))
			for _, c := range comments {
				inserted++
				if n := regexp.MustCompile(c+`\b`).FindAllIndex(got, -1); len(n) != 1 {
					t.Errorf("%q occurs %d times in:\n%s", c, len(n), got)
				}
				if regexp.MustCompile(`(?m)^ .*` + c + `$`).Match(got) {
					inside++
				}
			}
		}
	}
	if inside < inserted/20 || inserted < 100 {
		t.Errorf("of %d comments %d are inside declarations", inserted, inside)
	}
}

// randomBlank returns the index of a blank between two words of a line that is not in a string or a comment; -1 if
// there is none.
func randomBlank(rng *rand.Rand, line string) int {
	code, _, _ := strings.Cut(line, "//")
	trimmed := strings.TrimSpace(code)
	var blanks []int
	for i := strings.Index(code, trimmed); i < len(strings.TrimRight(code, " ")); i++ {
		if code[i] == ' ' && strings.Count(code[:i], `"`)%2 == 0 {
			blanks = append(blanks, i)
		}
	}
	if len(blanks) == 0 {
		return -1
	}
	return blanks[rng.IntN(len(blanks))]
}

// checkRepeat checks that printing a spec twice is printing it once, and that its declarations stay the same.
func checkRepeat(t *testing.T, src []byte) {
	t.Helper()
	f := parse(t, src)
	first := syntax.Print(f)
	g := parse(t, first)
	if second := syntax.Print(g); !bytes.Equal(first, second) {
		t.Errorf("the text changed: %s\nsource:\n%s", cmp.Diff(string(first), string(second)), src)
	}
	for i, d := range f.Order {
		if a, b := syntax.FormatDecl(d), syntax.FormatDecl(g.Order[i]); a != b {
			t.Errorf("a declaration changed: %s", cmp.Diff(a, b))
		}
	}
}

func TestPrintLayout(t *testing.T) {
	got := syntax.Print(parse(t, []byte(everything)))
	compareGolden(t, "testdata/layout.golden", string(got))
}

// TestPrintWidth checks that a line of 120 columns is not broken, and a longer one is.
func TestPrintWidth(t *testing.T) {
	for columns, lines := range map[int]int{120: 1, 121: 2} {
		head := "define d = "
		src := "protocol p\n\n" + head + strings.Repeat("x", columns-len(head)) + "\n"
		if got := bytes.Count(syntax.Print(parse(t, []byte(src))), []byte("\n")); got != 2+lines {
			t.Errorf("a definition of %d columns is printed on %d lines, want %d", columns, got-2, lines)
		}
	}
}
