package compile

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ringcheck/model/language/channel"
)

// TestContents compares the numbers of contents with lists.
func TestContents(t *testing.T) {
	for _, d := range channel.Disciplines {
		rng := rand.New(rand.NewPCG(1, uint64(d.Entry)))
		var table contentsTable
		table.init(d, func(uint32, *contents) {})
		numbers := map[string]uint32{"": Empty}
		lists := [][]uint32{nil}
		last, list := Empty, []uint32(nil)
		longest := 0
		for range 5000 {
			v := Empty
			if n := len(list); n == 0 || n < 12 && rng.IntN(2) == 0 {
				m := rng.Uint32N(3)
				i := d.Insert(n, func(i int) bool { return list[i] >= m })
				list = slices.Insert(slices.Clone(list), i, m)
				at := i
				if table.reversed {
					at = n - i
				}
				v = table.insert(last, at, m)
			} else {
				i := rng.IntN(d.Receivable(n))
				if rng.IntN(20) == 0 {
					i = rng.IntN(n)
				}
				list = slices.Delete(slices.Clone(list), i, i+1)
				v = table.remove(last, table.index(i, n))
			}
			longest = max(longest, len(list))
			last = v
			key := string(runes(list))
			if known, ok := numbers[key]; ok && known != v {
				t.Fatalf("%s: %v has the numbers %d and %d", d.Keyword, list, known, v)
			}
			if int(v) >= len(lists) {
				lists = append(lists, make([][]uint32, int(v)+1-len(lists))...)
			}
			if lists[v] != nil && !slices.Equal(lists[v], list) {
				t.Fatalf("%s: %d is %v and %v", d.Keyword, v, lists[v], list)
			}
			numbers[key], lists[v] = v, list
			if got := table.messages(v, nil); !slices.Equal(got, list) || table.length(v) != len(list) {
				t.Fatalf("%s: %v is %v of length %d", d.Keyword, list, got, table.length(v))
			}
			for i, m := range list {
				if table.at(v, i) != m {
					t.Fatalf("%s: message %d of %v is %d", d.Keyword, i, list, table.at(v, i))
				}
			}
		}
		if longest < 6 || len(numbers) < 20 {
			t.Errorf("%s: %d contents, the longest of %d messages", d.Keyword, len(numbers), longest)
		}
	}
}

func runes(list []uint32) (text []rune) {
	for _, m := range list {
		text = append(text, 'a'+rune(m))
	}
	return text
}
