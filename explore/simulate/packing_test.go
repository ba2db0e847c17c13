package simulate

import (
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"ringcheck/model/language/ir"
)

// TestRecordFields checks that what is written into a record is read again, whatever flags it has, and that records are
// equal if their contents are.
func TestRecordFields(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := rapid.Int64Range(-1<<40, 1<<40)
		p := &ir.Protocol{N: rapid.IntRange(1, 1<<20).Draw(t, "n"), Vast: true}
		p.Time.Hi = rapid.Int64Range(0, 1<<30).Draw(t, "delay")
		for range rapid.IntRange(1, 5).Draw(t, "kinds") {
			m := &ir.Message{}
			for range rapid.IntRange(0, 4).Draw(t, "fields") {
				kind := ir.Int
				if rapid.Bool().Draw(t, "nat") {
					kind = ir.Nat
				}
				lo := number.Draw(t, "lo")
				m.Fields = append(m.Fields,
					ir.Field{Type: &ir.Type{Kind: kind, Lo: lo, Hi: lo + rapid.Int64Range(0, 1<<40).Draw(t, "values")}})
			}
			p.Messages = append(p.Messages, m)
		}
		l := newLayout(p)
		draw := func(name string) record {
			kind := rapid.IntRange(0, len(p.Messages)-1).Draw(t, name)
			var args []int64
			for _, f := range p.Messages[kind].Fields {
				args = append(args, rapid.Int64Range(f.Type.Lo, f.Type.Hi).Draw(t, name))
			}
			to, port := rapid.IntRange(0, p.N-1).Draw(t, name), rapid.Int64Range(0, int64(p.N-1)).Draw(t, name)
			sent := rapid.Int64Range(0, p.Time.Hi).Draw(t, name)
			x := make(record, l.words)
			l.write(x, to, port, kind, args, sent)
			x.set(flag(rapid.IntRange(0, 1<<flagBits-1).Draw(t, name)))
			got := fmt.Sprint(l.to.get(x), l.port.get(x), l.kindOf(x), l.sentAt.get(x))
			if want := fmt.Sprint(to, port, kind, sent); got != want || !slices.Equal(l.read(x, nil), args) {
				t.Fatalf("%s %v is read as %s %v", want, args, got, l.read(x, nil))
			}
			return x
		}
		x, y := draw("one"), draw("another")
		say := func(x record) string {
			return fmt.Sprint(l.to.get(x), l.port.get(x), l.kindOf(x), l.sentAt.get(x), l.read(x, nil))
		}
		if l.equal(x, y) != (say(x) == say(y)) || !l.equal(x, x) {
			t.Fatalf("%s and %s: the same %t", say(x), say(y), l.equal(x, y))
		}
		var bk bucket
		var spare [][]byte
		for range 2 { // the second time in blocks that are used again
			var want, got []string
			for _, i := range rapid.SliceOfN(rapid.IntRange(0, 2), 0, 9000).Draw(t, "bucket") {
				next := []record{x, y, x}[i]
				if i == 2 {
					next = draw("third")
				}
				want = append(want, say(next))
				bk.write(l, next, &spare)
			}
			bk.read(l, func(x record) { got = append(got, say(x)) })
			if !slices.Equal(got, want) {
				t.Fatalf("a bucket of %d letters is read as one of %d", len(want), len(got))
			}
			bk.clear(&spare)
		}
	})
}
