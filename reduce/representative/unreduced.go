package representative

import (
	"errors"
	"slices"

	"ringcheck/explore/reduction"
	"ringcheck/internal/intern"
	"ringcheck/model"
)

// unreducedSystem is the system before the reduction, with labels that tag transitions by their place in a walker's
// order and by whether they are confluent.
type unreducedSystem struct {
	System
	tags          *intern.Values[tagMeaning]
	idle          func(g int, in []model.Value) bool
	order         []int // by place: the group
	place         []int // by group: its place
	confluentOnly bool  // yield confluent transitions only
}

// tagMeaning is the meaning of a tag.
type tagMeaning struct {
	place int
	step  model.Step
}

// The bits of a tag.
const (
	isConfluent = iota
	isNot
)

func newUnreduced(sys System, order []int) *unreducedSystem {
	u := &unreducedSystem{System: sys, tags: new(intern.Values[tagMeaning]), order: order}
	u.idle = func(int, []model.Value) bool { return false }
	if i, ok := model.As[model.Idler](sys); ok {
		u.idle = i.Idle
	}
	n := len(sys.Groups())
	if order == nil {
		for g := range n {
			u.order = append(u.order, g)
		}
	}
	u.place = make([]int, n)
	for place, g := range u.order {
		u.place[g] = place
	}
	return u
}

var errConfluent = errors.New("a confluent transition is not a transition of the system")

// Next implements model.System.
func (u *unreducedSystem) Next(g int, in []model.Value, out *model.Successors) error {
	if u.idle(g, in) {
		return nil
	}
	var all, some model.Successors
	all.Reset(len(in))
	some.Reset(len(in))
	if err := u.System.Confluent(g, in, &some); err != nil {
		return err
	}
	if u.confluentOnly {
		u.add(g, &some, out, func(int) uint { return isConfluent })
		return nil
	}
	if err := u.System.Next(g, in, &all); err != nil {
		return err
	}
	bits := slices.Repeat([]uint{isNot}, all.Len())
	for i := range some.Len() {
		same := func(j int) bool {
			return all.Step(j).Label == some.Step(i).Label && slices.Equal(all.Values(j), some.Values(i))
		}
		j := 0
		for j < len(bits) && (bits[j] == isConfluent || !same(j)) {
			j++
		}
		if j == len(bits) {
			return errConfluent
		}
		bits[j] = isConfluent
	}
	u.add(g, &all, out, func(i int) uint { return bits[i] })
	return nil
}

// add adds transitions of a group with their tags.
func (u *unreducedSystem) add(g int, from, out *model.Successors, bit func(i int) uint) {
	for i := range from.Len() {
		step := from.Step(i)
		step.Label = model.Label(reduction.NewSleepTag(bit(i), u.tags.Number(tagMeaning{u.place[g], step})))
		copy(out.Add(step), from.Values(i))
	}
}

func (u *unreducedSystem) meaning(tag reduction.SleepTag) *tagMeaning { return u.tags.At(tag.Weight()) }
