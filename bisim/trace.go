package bisim

import (
	"encoding/binary"
	"slices"

	"ringcheck/lts"
)

// The search for a distinguishing trace takes exponential time in the worst case, so it is bounded.
const (
	tracePairs  = 1 << 14 // pairs of sets of states
	traceStates = 1 << 22 // states in these sets
)

// A tracer follows traces of a system: sequences of labels, without τ if it is abstracted from.
type tracer struct {
	l         *lts.LTS
	abstracts bool
}

// Admits reports whether l can do a trace from its initial state: a sequence of labels, with τ's between
// them if the equivalence abstracts from τ.
func Admits(l *lts.LTS, e Equivalence, trace []string) bool {
	t := tracer{l, e != Strong}
	set := t.close([]uint32{l.Initial()})
	for _, label := range trace {
		var next []uint32
		for _, s := range set {
			for _, edge := range l.Out(s) {
				if l.Label(edge.Label) == label {
					next = append(next, edge.To)
				}
			}
		}
		set = t.close(next)
	}
	return len(set) > 0
}

// close sorts a set and adds what is reached by τ's, if these are abstracted from.
func (t *tracer) close(set []uint32) []uint32 {
	if t.abstracts {
		seen := make(map[uint32]bool, len(set))
		for _, s := range set {
			seen[s] = true
		}
		for i := 0; i < len(set); i++ {
			for _, e := range t.l.Out(set[i]) {
				if e.Label == lts.Tau && !seen[e.To] {
					seen[e.To] = true
					set = append(set, e.To)
				}
			}
		}
	}
	slices.Sort(set)
	return slices.Compact(set)
}

// steps returns the sets reached from a set, by label.
func (t *tracer) steps(set []uint32) map[lts.Label][]uint32 {
	to := map[lts.Label][]uint32{}
	for _, s := range set {
		for _, e := range t.l.Out(s) {
			if !t.abstracts || e.Label != lts.Tau {
				to[e.Label] = append(to[e.Label], e.To)
			}
		}
	}
	for a, s := range to {
		to[a] = t.close(s)
	}
	return to
}

// A pairNode is a pair of sets reached by the same trace.
type pairNode struct {
	x, y   []uint32
	parent int
	label  lts.Label
}

// distinguishingTrace looks for a shortest trace that x can do and y cannot, or the other way round. It
// returns ok false if there is none or it would take too long to find.
func distinguishingTrace(l *lts.LTS, e Equivalence, x, y uint32) (trace []string, ofX, ok bool) {
	t := &tracer{l, e != Strong}
	nodes := []pairNode{{x: t.close([]uint32{x}), y: t.close([]uint32{y}), parent: -1}}
	seen := map[string]bool{}
	states := 0
	for i := 0; i < len(nodes) && len(nodes) < tracePairs && states < traceStates; i++ {
		byX, byY := t.steps(nodes[i].x), t.steps(nodes[i].y)
		for a := range lts.Label(l.Labels()) {
			node := pairNode{byX[a], byY[a], i, a}
			if len(node.x) == 0 && len(node.y) == 0 {
				continue
			}
			if len(node.x) == 0 || len(node.y) == 0 {
				nodes = append(nodes, node)
				return spell(l, nodes), len(node.x) > 0, true
			}
			if key := pairKey(node.x, node.y); !seen[key] && !slices.Equal(node.x, node.y) {
				seen[key] = true
				nodes = append(nodes, node)
				states += len(node.x) + len(node.y)
			}
		}
	}
	return nil, false, false
}

// spell returns the labels on the way to the last node.
func spell(l *lts.LTS, nodes []pairNode) []string {
	var trace []string
	for i := len(nodes) - 1; nodes[i].parent >= 0; i = nodes[i].parent {
		trace = append(trace, l.Label(nodes[i].label))
	}
	slices.Reverse(trace)
	return trace
}

func pairKey(x, y []uint32) string {
	b := binary.LittleEndian.AppendUint32(nil, uint32(len(x)))
	for _, s := range x {
		b = binary.LittleEndian.AppendUint32(b, s)
	}
	for _, s := range y {
		b = binary.LittleEndian.AppendUint32(b, s)
	}
	return string(b)
}
