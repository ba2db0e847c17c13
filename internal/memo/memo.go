// Package memo remembers the results of functions.
package memo

// Of returns a function that calls f once for each argument. It is for one goroutine.
func Of[K comparable, V any](f func(K) V) func(K) V {
	known := make(map[K]V)
	return func(k K) V {
		v, ok := known[k]
		if !ok {
			v = f(k)
			known[k] = v
		}
		return v
	}
}
