package symmetry_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"ringcheck/explore"
	"ringcheck/internal/test/spectest"
	"ringcheck/internal/test/systemtest"
	"ringcheck/model"
	"ringcheck/reduce/confluence"
	"ringcheck/reduce/representative"
	"ringcheck/reduce/symmetry"
)

// TestDihedral: orbits under rotation and reflection add up to the system, and are fewer than under rotation.
func TestDihedral(t *testing.T) {
	for _, tt := range []struct{ spec, settings string }{
		{"franklin", "n=2 k=2"},
		{"franklin", "n=2 k=3"},
		{"franklin", "n=3 k=2"},
		{"franklin", "n=3 k=2 channel=fifo"},
		{"franklin", "n=3 k=2 bits=false"},
		{"franklin", "n=3 k=2 fresh=clash"},
		{"franklin", "n=4 k=2"},
	} {
		t.Run(strings.ReplaceAll(tt.spec+" "+tt.settings, " ", ","), func(t *testing.T) {
			sys := confluence.Prioritize(open(t, tt.spec, tt.settings), confluence.Options{})
			skipLarge(t, sys)
			q := dihedral(t, sys)
			r := compareCounts(t, sys, q)
			turns := rotation(t, sys)
			rotated := systemtest.Run(t, turns, explore.Options{}).Stored
			if r.Stored >= rotated {
				t.Errorf("%d states stored, by rotation alone %d", r.Stored, rotated)
			}
		})
	}
}

// TestDihedralComposed: orbits of representatives add up to the representatives.
func TestDihedralComposed(t *testing.T) {
	for _, settings := range []string{"n=2 k=2", "n=3 k=2", "n=3 k=2 channel=fifo"} {
		sys := confluence.Prioritize(open(t, "franklin", settings), confluence.Options{})
		q := dihedral(t, sys)
		plain := systemtest.Run(t, representative.Reduce(sys, representative.Options{}), explore.Options{})
		orbits := systemtest.Run(t, representative.Reduce(q, representative.Options{}), explore.Options{})
		if orbits.States != plain.States || orbits.Transitions != plain.Transitions || orbits.Deadlocks != plain.Deadlocks {
			t.Errorf("%s: %d states, %d transitions, %d deadlocks; plain: %d, %d, %d", settings, orbits.States,
				orbits.Transitions, orbits.Deadlocks, plain.States, plain.Transitions, plain.Deadlocks)
		}
	}
}

// TestDihedralRefusals: what is not symmetric is refused, from its shape, its initial states, or when it is met.
func TestDihedralRefusals(t *testing.T) {
	const met = "reflection is not a symmetry: in the mirror image of "
	for _, tt := range []struct{ spec, settings, want string }{
		{"dkr", "n=3 k=2", "reflection is not a symmetry: it takes channels in both directions"},
		{"hirschberg-sinclair", "n=3 ids=ascending", "rotation is not a symmetry: the processes can begin as "},
		{"franklin", "n=3 k=2 order=left", met},
		{"franklin", "n=3 k=2 announce=true", met},
	} {
		t.Run(tt.spec+","+strings.ReplaceAll(tt.settings, " ", ","), func(t *testing.T) {
			q, err := symmetry.Dihedral(t.Context(), confluence.Prioritize(open(t, tt.spec, tt.settings), confluence.Options{}))
			if err == nil {
				err = systemtest.Run(t, q, explore.Options{}).Fault
			}
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("got %v, want %s…", err, tt.want)
			}
		})
	}
	q := dihedral(t, open(t, "franklin", "n=3 k=2"))
	if r := systemtest.Run(t, q, explore.Options{}); r.Stop != explore.Faulted || !strings.HasPrefix(r.Fault.Message, met) {
		t.Errorf("a protocol that sends to the right first: %v, %v", r.Stop, r.Fault)
	}
}

// A turning system begins in the rotations of the first initial state only.
type turning struct{ model.System }

func (s turning) Initial(yield func(state []model.Value) bool) error {
	var first []model.Value
	return s.System.Initial(func(state []model.Value) bool {
		if first == nil {
			first = slices.Clone(state)
		}
		width := len(state) / 3
		for at := 0; at < len(state); at += width {
			if slices.Equal(slices.Concat(state[at:], state[:at]), first) {
				return yield(state)
			}
		}
		return true
	})
}

// TestDihedralInitial: initial states that are closed under rotation need not be under reflection.
func TestDihedralInitial(t *testing.T) {
	sys := turning{open(t, "hirschberg-sinclair", "n=3")}
	if _, err := symmetry.Rotation(t.Context(), sys); err != nil {
		t.Fatal(err)
	}
	const want = "reflection is not a symmetry: the processes can begin as "
	if _, err := symmetry.Dihedral(t.Context(), sys); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s…", err, want)
	}
}

// mirrored returns a random protocol and its mirror image in one: each process begins as one of the two.
func mirrored(r *rand.Rand) string {
	pick := func(from ...string) string { return from[r.IntN(len(from))] }
	const states = 3
	var body strings.Builder
	for i := range states {
		fmt.Fprintf(&body, "Eq%d(x) = ", i)
		for j := range 1 + r.IntN(2) {
			if j > 0 {
				body.WriteString(" | ")
			}
			fmt.Fprintf(&body, "recv %s M(x); ", pick("left", "right"))
			switch r.IntN(5) {
			case 0:
				fmt.Fprintf(&body, "send %s M(%s); ", pick("left", "right"), pick("x", "0", "1 - x"))
			case 1:
				body.WriteString("e(x); ")
			case 2:
				fmt.Fprintf(&body, "draw x; send %s M(x); ", pick("left", "right"))
			}
			fmt.Fprintf(&body, "Eq%d(%s)", r.IntN(states), pick("x", "0", "1"))
		}
		body.WriteByte('\n')
	}
	text := body.String()
	image := strings.NewReplacer("left", "right", "right", "left", "Eq", "Rq").Replace(text)
	return fmt.Sprintf("protocol test \"\"\ntopology undirected ring of %d\nchannel %s\nvar x: 0..1\nmessage M(x: 0..1)\nevent e(x: 0..1)\n",
		2+r.IntN(3), pick("unordered", "fifo")) +
		"process p = Start\nStart = send left M(0); Eq0(0) | send right M(0); Rq0(0)\n" + text + image
}

// TestDihedralRandom: protocols that were made symmetric give the right counts.
func TestDihedralRandom(t *testing.T) {
	total := seeds(200)
	compared := uint64(0)
	for seed := range total {
		source := mirrored(rand.New(rand.NewPCG(seed, 29)))
		if orbitsAddUp(t, source, true) {
			compared++
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, source)
		}
	}
	if compared < total*3/4 {
		t.Errorf("only %d of %d were compared", compared, total)
	}
}

// TestDihedralAny: of any protocol the counts are right or it is said not to be symmetric.
func TestDihedralAny(t *testing.T) {
	total := seeds(400)
	compared := uint64(0)
	for seed := range total {
		source := spectest.Anonymous(spectest.Any(rand.New(rand.NewPCG(seed, 31))))
		if orbitsAddUp(t, source, false) {
			compared++
		}
		if t.Failed() {
			t.Fatalf("seed %d\n%s", seed, source)
		}
	}
	t.Logf("%d are symmetric", compared)
	if compared < total/40 {
		t.Errorf("only %d are symmetric", compared)
	}
}

// orbitsAddUp compares the counts of a spec and its quotient, and reports whether it could. must says that it is
// symmetric.
func orbitsAddUp(t *testing.T, source string, must bool) bool {
	t.Helper()
	sys := compiled(t, source, nil)
	if !systemtest.Run(t, sys, explore.Options{MaxStates: 5000}).Complete() {
		return false
	}
	q, err := symmetry.Dihedral(t.Context(), sys)
	if err == nil {
		if fault := systemtest.Run(t, q, explore.Options{}).Fault; fault != nil {
			err = fmt.Errorf("%w: %s", symmetry.ErrAsymmetric, fault.Message)
		}
	}
	if errors.Is(err, symmetry.ErrAsymmetric) && !must {
		return false
	}
	if err != nil {
		t.Error(err)
		return false
	}
	compareCounts(t, sys, q)
	return true
}

// TestDihedralLift: a run to a local state of the last process is a run of the system.
func TestDihedralLift(t *testing.T) {
	sys := confluence.Prioritize(open(t, "franklin", "n=4 k=2"), confluence.Options{})
	last := 3 * len(sys.Slots()) / 4
	there := func(state []model.Value) bool { return strings.HasPrefix(sys.FormatSlot(last, state[last]), "A3") }
	goal := func(_ int, state []model.Value) bool { return there(state) }
	plain, err := explore.Path(t.Context(), sys, explore.Options{}, goal)
	if err != nil {
		t.Fatal(err)
	}
	q := dihedral(t, sys)
	moves, err := q.Lift(path(t, q, goal, 0), there)
	if err != nil {
		t.Fatal(err)
	}
	if len(moves) != len(plain) || !there(moves[len(moves)-1].State) {
		t.Errorf("the lifted run has %d states, the shortest %d", len(moves), len(plain))
	}
	replay(t, sys, moves)
}

// TestDihedralOrbits: an orbit has as many states as it says, and each has the same representative.
func TestDihedralOrbits(t *testing.T) {
	sys := confluence.Prioritize(open(t, "franklin", "n=3 k=2"), confluence.Options{})
	q := dihedral(t, sys)
	systemtest.Run(t, q, explore.Options{}) // finds all images
	representatives := make(map[string]uint64)
	sizes := make(map[string]uint64)
	_, err := explore.Walk(t.Context(), sys, explore.Options{}, explore.Visitor{
		State: func(_ uint64, _ int, state []model.Value) error {
			cells := make([]model.Value, len(q.Slots()))
			q.Encode(state, cells)
			key := fmt.Sprint(cells)
			representatives[key]++
			sizes[key] = q.OrbitSize(cells)
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	var all []uint64
	for key, n := range representatives {
		if n != sizes[key] {
			t.Errorf("an orbit of %d states is said to have %d", n, sizes[key])
		}
		all = append(all, n)
	}
	slices.Sort(all)
	if got := slices.Compact(all); !slices.Equal(got, []uint64{1, 2, 3, 6}) {
		t.Errorf("there are orbits of %v states", got)
	}
}
