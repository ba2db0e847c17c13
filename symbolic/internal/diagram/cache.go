package diagram

// A Key says what operation on which operands a result in the cache is of. Operation numbers below FirstFree belong to
// this package.
type Key struct {
	Operation, Parameter uint32
	A, B                 Node
}

// The operations of this package.
const (
	opUnion = iota + 1
	opIntersection
	opDifference
	// FirstFree is the first number that users of the package can give to operations of their own.
	FirstFree
)

// An entry is a result in the cache. One that was never written has no key.
type entry struct {
	key    Key
	result Node
}

// Cached returns the result of an operation if it is in the cache.
func (s *Store) Cached(k Key) (Node, bool) {
	e := s.entry(k)
	return e.result, e.key == k
}

// Cache puts a result into the cache, unless the store is halted and the result may be a part of what it should be.
func (s *Store) Cache(k Key, result Node) {
	if !s.Halted() {
		*s.entry(k) = entry{k, result}
	}
}

func (s *Store) entry(k Key) *entry {
	operation := uint64(k.Operation)<<32 | uint64(k.Parameter)
	hash := mix(mix(0, operation), uint64(k.A)<<32|uint64(k.B))
	return &s.cache[int(hash)&(len(s.cache)-1)]
}

// forget clears the entries that refer to a node that is not live.
func (s *Store) forget() {
	for i := range s.cache {
		if e := &s.cache[i]; !s.live(e.key.A) || !s.live(e.key.B) || !s.live(e.result) {
			*e = entry{}
		}
	}
}
