package tree

import "ringcheck/model"

// askLeaf asks the system for the transitions of a group of a leaf; they are in w.out. So it is below.
func (w *Worker) askLeaf(group int, value uint32) error {
	width := len(w.groups[group].Slots)
	w.in[0] = value
	return model.Ask(w.sys, group, w.in[:width], &w.out)
}

// askViews asks for those of a tabulated crossing for the views of its two sides.
func (w *Worker) askViews(c *crossing, lview, rview uint32) error {
	in := w.in[:len(c.slots)]
	c.right.lens.load(rview, c.left.lens.load(lview, in))
	return model.Ask(w.sys, c.group, in, &w.out)
}

// askWhole asks for those of a direct crossing of n from (left, right), whose values are in w.state then. total counts
// those that a Sleeper leaves out as well.
func (w *Worker) askWhole(n *node, c *crossing, left, right uint32, asleep Sleep) (total int, err error) {
	n.left.decode(left, w.state)
	n.right.decode(right, w.state)
	in := w.in[:len(c.slots)]
	for i, s := range c.slots {
		in[i] = w.state[s]
	}
	if w.awake {
		w.out.Reset(len(in))
		total, w.after, err = w.sleeper.NextAwake(in, asleep, &w.out, w.after)
		return total, err
	}
	err = model.Ask(w.sys, c.group, in, &w.out)
	return w.out.Len(), err
}
