package bisim

import (
	"context"
	"fmt"
	"runtime"

	"ringcheck/lts"
)

// An Algorithm computes the classes of an equivalence.
type Algorithm int

const (
	// PartitionRefinement takes time O(m log n), for n states and m transitions, and one processor.
	PartitionRefinement Algorithm = iota
	// Signatures is parallel, and takes time O(m n) in the worst case, but few rounds of O(m) in many.
	Signatures
)

// Options say how to compute the classes. The zero value is a good choice.
type Options struct {
	Algorithm Algorithm
	// Workers is the number of goroutines of a parallel algorithm; 0 means GOMAXPROCS.
	Workers int
	// KeepAll leaves out the merging of states from the bottom up, in linear time, that comes before the
	// algorithm proper unless the equivalence is Strong. The result is the same.
	KeepAll bool
}

// Classes computes the coarsest partition of the states of l into classes of an equivalence. Beside l it
// holds, at its peak, 40 bytes for each transition, if few classes remain, to 150, if no two states are
// equivalent; where states can be merged beforehand (see Options.KeepAll), only those that remain count. It
// fails only if the context is done.
func Classes(ctx context.Context, l *lts.LTS, e Equivalence, o Options) (*Partition, error) {
	g, node := reduce(l, e, !o.KeepAll)
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("computing %v bisimilarity: %w", e, err)
	}
	of, blocks, err := classes(ctx, g, o)
	if err != nil {
		return nil, fmt.Errorf("computing %v bisimilarity: %w", e, err)
	}
	if node == nil {
		return canonical(of, blocks), nil
	}
	for s, i := range node {
		node[s] = of[i]
	}
	return canonical(node, blocks), nil
}

func classes(ctx context.Context, g *graph, o Options) ([]uint32, int, error) {
	if o.Algorithm == PartitionRefinement {
		return refine(ctx, g)
	}
	workers := o.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	return refineSignatures(ctx, g, workers)
}

// reduce returns the graph to be refined and each state's node in it; nil if these are the same.
func reduce(l *lts.LTS, e Equivalence, merge bool) (*graph, []uint32) {
	if e == Strong {
		return strongGraph(l), nil
	}
	g, node := acyclic(l, e, merge)
	if merge {
		g = mergeAgain(g, node)
	}
	return g, node
}

// Minimize computes the classes of an equivalence and the quotient by it.
func Minimize(ctx context.Context, l *lts.LTS, e Equivalence, o Options) (*lts.LTS, *Partition, error) {
	p, err := Classes(ctx, l, e, o)
	if err != nil {
		return nil, nil, err
	}
	q, err := Quotient(l, p, e)
	return q, p, err
}
