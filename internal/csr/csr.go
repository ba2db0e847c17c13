// Package csr has adjacency lists as compressed sparse rows.
package csr

// Rows are lists of numbers, one behind the other.
type Rows struct {
	At []uint32 // by list: where it begins in To, and the end of the last
	To []uint32
}

// Of returns list i.
func (r *Rows) Of(i uint32) []uint32 { return r.To[r.At[i]:r.At[i+1]] }

// Bytes returns the memory that the lists take.
func (r *Rows) Bytes() uint64 { return Bytes(len(r.At)-1, len(r.To)) }

// Bytes returns the memory that n lists of so many numbers take.
func Bytes(n, numbers int) uint64 { return 4 * uint64(n+2+numbers) }

// Reverse returns, for each of the numbers below n, the sources of the edges that lead to it, in the order of the edges, of
// which there are m. each yields the edges; it is called twice.
func Reverse(n, m int, each func(yield func(from, to uint32))) Rows {
	at, sources := make([]uint32, n+2), make([]uint32, m) // at[i+1] is where list i goes on
	each(func(_, to uint32) { at[to+2]++ })
	for i := range n {
		at[i+2] += at[i+1]
	}
	each(func(from, to uint32) {
		sources[at[to+1]] = from
		at[to+1]++
	})
	return Rows{At: at[:n+1], To: sources}
}
