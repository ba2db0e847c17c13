package product

import (
	"math"

	"ringcheck/explore"
	"ringcheck/internal/graph"
)

// A stage is the progress of a sweep through all states at a place, in four bits:
//
//	..00  waiting: not visited
//	..01  visited, on an even level
//	..10  visited, on an odd level
//	..11  dead: no node of the place is alive
//	.1..  the state leads back
//	1...  with a level: the level modulo 4 is 2 or 3
//
// Workers set stages concurrently, and only add bits. So a reader sees an old stage or a new one, never a third one: a
// place changes from waiting to another stage by one atomic operation, and from another stage to dead by adding ..11.
// The bits ..11 of waiting and dead are 00 and 11, and of a visited place 01 or 10, so that these never change into
// each other, and a dead place stays dead.
type stage uint64

// The bits of stages.
const (
	waiting   stage = 0
	evenLevel stage = 1
	oddLevel  stage = 2
	dead      stage = evenLevel | oddLevel
	leadsBack stage = 4
	upperHalf stage = 8 // of four levels

	stageBits = 4
)

// visitedOn returns the stage of a place that is visited on a level.
func visitedOn(level int) stage {
	s := evenLevel
	if level%2 == 1 {
		s = oddLevel
	}
	if level%4 >= 2 {
		s |= upperHalf
	}
	return s
}

// A stageSet is a set of stages, a bit each.
type stageSet uint64

// set returns the set of one stage.
func (s stage) set() stageSet { return 1 << s }

func (s stageSet) has(t stage) bool { return s>>t&1 == 1 }

// Sets of stages.
const (
	deadStages = stageSet(1<<dead | 1<<(dead|leadsBack) | 1<<(dead|upperHalf) | 1<<(dead|leadsBack|upperHalf))
	backStages = stageSet(1<<(evenLevel|leadsBack) | 1<<(oddLevel|leadsBack) |
		1<<(evenLevel|leadsBack|upperHalf) | 1<<(oddLevel|leadsBack|upperHalf))
)

// notBefore returns the stages of the places that may be on the level being visited, whose stage is now, or on a level
// that has not been visited.
func (now stage) notBefore() stageSet { return waiting.set() | now.set() | (now | leadsBack).set() }

// A stageTable has the stage of each place.
type stageTable struct{ bits *bitTable }

func newStageTable(places uint64) stageTable { return stageTable{newBitTable(places, stageBits)} }

func (t stageTable) at(place uint64) stage { return stage(t.bits.at(place)) }

// add adds the bits of a stage.
func (t stageTable) add(place uint64, s stage) { t.bits.or(place, uint64(s)) }

// of returns the stages of the states that a state leads to.
func (t stageTable) of(v *explore.Vertex) (stages stageSet) {
	for _, to := range v.To {
		stages |= t.at(to).set()
	}
	return stages
}

// lowBits has the lowest bit of each four bits of a word, which has the stages of 16 places.
const lowBits = math.MaxUint64 / 15

// reset makes the places of some nodes waiting, and all others dead. The nodes are given by state of an automaton.
func (t stageTable) reset(alive []graph.Set[uint64]) {
	for i := range t.bits.list {
		living := uint64(0) // 16 places
		for _, s := range alive {
			if i/4 < len(s) {
				living |= s[i/4] >> (i % 4 * 16) & math.MaxUint16
			}
		}
		for n := 8; n > 0; n /= 2 { // each bit to the lowest of four
			living = (living | living<<(3*n)) & (math.MaxUint64 / (1<<(4*n) - 1) * (1<<n - 1))
		}
		t.bits.list[i] = (living ^ lowBits) * uint64(dead)
	}
}

// removeWaiting removes the nodes of waiting places. The nodes are given by state of an automaton.
func (t stageTable) removeWaiting(alive []graph.Set[uint64]) {
	for i, stages := range t.bits.list {
		stages = (stages | stages>>1 | stages>>2 | stages>>3) & lowBits
		for n := 1; n < 16; n *= 2 { // the lowest bit of each four to one of sixteen
			stages = (stages | stages>>(3*n)) & (math.MaxUint64 / (1<<(8*n) - 1) * (1<<(2*n) - 1))
		}
		for _, s := range alive {
			if i/4 < len(s) {
				s[i/4] &^= (stages ^ math.MaxUint16) << (i % 4 * 16)
			}
		}
	}
}
