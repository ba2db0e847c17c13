package view

import (
	"bufio"
	"fmt"
	"strconv"
	"strings"
)

// A folded chart takes the place of a chart that would be too wide: lifelines stand close together, those of processes that
// take no part in the run are left out, and the arrow of a message is drawn when it is sent, all the way to its receiver.
// What happens is said in full beside it.
type folded struct {
	trace  *Trace
	out    *bufio.Writer
	column map[int]int // of the lifelines, by process; empty if not even they have room
	number int         // where the numbers of the steps end
	margin int         // where messages leave or come in across the seam
	edge   int         // likewise, to the right
	note   int
	width  int
}

// leastFolded is how many columns what happens is given at least.
const leastFolded = 44

func newFolded(t *Trace, out *bufio.Writer, width int) *folded {
	f := &folded{trace: t, out: out, column: make(map[int]int), width: width}
	f.number = len(strconv.Itoa(t.Length()))
	if t.Loop() > 0 {
		f.number += spacing
	}
	f.margin = f.number + spacing
	apart := len(strconv.Itoa(t.Number(t.N-1))) + 2
	for p := range t.Numbers {
		apart = max(apart, len(strconv.Itoa(t.Number(p)))+2)
	}
	part := t.takingPart()
	f.edge = f.margin + apart*(len(part)+1)
	f.note = f.edge + 1 + spacing
	if f.note+leastFolded > width {
		f.note = f.margin
		return f
	}
	for i, p := range part {
		f.column[p] = f.margin + apart*(i+1)
	}
	return f
}

// takingPart returns the processes that act in the run, or are sent something.
func (t *Trace) takingPart() []int {
	part := make([]bool, t.N)
	for _, s := range t.Steps {
		if s.Process >= 0 {
			part[s.Process] = true
		}
	}
	for _, m := range t.Messages {
		part[t.Links[m.Link].From], part[t.Links[m.Link].To] = true, true
	}
	var list []int
	for p, takes := range part {
		if takes {
			list = append(list, p)
		}
	}
	return list
}

// head writes the numbers of the processes.
func (f *folded) head() {
	if len(f.column) == 0 {
		fmt.Fprintln(f.out)
		return
	}
	if rest := f.trace.N - len(f.column); rest > 0 {
		fmt.Fprintf(f.out, "%d of %d processes are not drawn, since they take no part\n", rest, f.trace.N)
	}
	r := f.blank()
	for p, x := range f.column {
		name := strconv.Itoa(f.trace.Number(p))
		r.text(x-len(name)+1, name)
	}
	fmt.Fprintf(f.out, "\n%s\n", r)
}

func (f *folded) blank() row { return make(row, f.note) }

// state returns a row with the lifelines after a step.
func (f *folded) state(i int) row {
	r := f.blank()
	if f.trace.Repeats(i) {
		r[0].over = choose(i == f.trace.Loop(), '┌', '│')
	}
	for p, x := range f.column {
		r.vertical(x, light)
		r[x].line = lifeline(f.trace.Steps[i].Processes[p].Role)
	}
	return r
}

// step writes the rows of a step.
func (f *folded) step(i int) {
	s := &f.trace.Steps[i]
	r := f.state(i)
	r.text(f.number-len(strconv.Itoa(i)), strconv.Itoa(i))
	if x, drawn := f.column[s.Process]; drawn {
		if s.Kind == Send {
			f.arrow(r, f.trace.Message(s.Message))
		}
		r[x].over = actor(s.Kind)
	}
	note := s.Text
	if s.Process >= 0 {
		note += " → " + s.Processes[s.Process].String()
	}
	for k, line := range wrap(note, f.width-f.note) {
		if k > 0 {
			r = f.state(i)
			if f.trace.Repeats(i) {
				r[0].over = '│'
			}
		}
		for range line {
			r = append(r, cell{})
		}
		r.text(f.note, line)
		fmt.Fprintln(f.out, r)
	}
}

// arrow draws a message from its sender to its receiver.
func (f *folded) arrow(r row, m *Message) {
	link := f.trace.Links[m.Link]
	from, to := f.column[link.From], f.column[link.To]
	right := !f.trace.side(m).fromRight
	tip, before := '►', -1
	if !right {
		tip, before = '◄', 1
	}
	if !link.Seam {
		r.horizontal(from, to+before, light)
		r[to+before].over = tip
		return
	}
	out, in := f.edge, f.margin
	if !right {
		out, in = in, out
	}
	r.horizontal(from, out, light)
	r.horizontal(in, to+before, light)
	r[out].over, r[to+before].over = tip, tip
}

// write writes the chart after its caption.
func (f *folded) write() {
	f.head()
	for i := range f.trace.Steps {
		f.step(i)
	}
	if i := f.trace.Loop(); i > 0 {
		fmt.Fprintf(f.out, "└─ and again from step %d\n", i)
	}
	var left []string
	for _, serials := range f.trace.Steps[f.trace.Length()].Channels {
		for _, serial := range serials {
			left = append(left, f.trace.of(serial))
		}
	}
	if len(left) > 0 {
		text := "still under way: " + strings.Join(left, ", ")
		fmt.Fprintf(f.out, "\n%s\n", strings.Join(wrap(text, f.width), "\n"))
	}
}
