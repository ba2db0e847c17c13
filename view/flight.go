package view

import (
	"fmt"
	"slices"

	"ringcheck/model"
)

// send puts a new message under way and returns its serial number.
func (b *builder) send(step, link int, text string) int {
	t := b.trace
	serial := len(t.Messages) + 1
	t.Messages = append(t.Messages, Message{Serial: serial, Text: text, Link: link, Sent: step})
	b.flights[link] = append(b.flights[link], serial)
	return serial
}

// receive takes the oldest message that reads text out of a channel and returns its serial number.
func (b *builder) receive(step, link int, text string) (int, error) {
	t := b.trace
	flight := b.flights[link]
	i := slices.IndexFunc(flight, func(serial int) bool { return t.Message(serial).Text == text })
	if i < 0 {
		return 0, fmt.Errorf("the message is not in the %s", b.protocol.FormatLink(link))
	}
	if t.FIFO && i > 0 {
		return 0, fmt.Errorf("the message is not the first one in the %s", b.protocol.FormatLink(link))
	}
	m := t.Message(flight[i])
	m.Received = step
	for _, older := range flight[:i] {
		m.Overtakes = append(m.Overtakes, older)
		t.Message(older).OvertakenBy = append(t.Message(older).OvertakenBy, m.Serial)
	}
	b.flights[link] = slices.Delete(flight, i, i+1)
	return m.Serial, nil
}

// lose takes the message that reads text out of a channel whose loss leads to a state, and returns its serial number.
func (b *builder) lose(step, link int, text string, after []model.Value) (int, error) {
	flight := b.flights[link]
	for i, serial := range flight {
		b.flights[link] = slices.Delete(slices.Clone(flight), i, i+1)
		if b.trace.Message(serial).Text == text && b.compare(after) == nil {
			b.trace.Message(serial).Lost = step
			return serial, nil
		}
	}
	return 0, fmt.Errorf("the message is not in the %s", b.protocol.FormatLink(link))
}

// duplicate puts a second message that reads text under way, behind the one whose duplication leads to a state, and
// returns its serial number.
func (b *builder) duplicate(step, link int, text string, after []model.Value) (int, error) {
	flight := b.flights[link]
	for i, serial := range flight {
		if b.trace.Message(serial).Text != text {
			continue
		}
		b.flights[link] = slices.Clone(flight)
		double := b.send(step, link, text)
		b.flights[link] = slices.Insert(slices.Clone(flight), i+1, double)
		if b.compare(after) == nil {
			b.trace.Message(double).Duplicate = true
			return double, nil
		}
		b.trace.Messages = b.trace.Messages[:len(b.trace.Messages)-1]
	}
	return 0, fmt.Errorf("the message is not in the %s", b.protocol.FormatLink(link))
}

// expire takes out of the channels what a tick that leads to a state leaves out: messages whose time is up, which are
// older than others that read the same.
func (b *builder) expire(after []model.Value) {
	for l, flight := range b.flights {
		left := map[string]int{}
		for _, c := range b.sys.Contents(after[b.sys.SlotOfLink(l)]) {
			left[c.String()]++
		}
		var kept []int
		for _, serial := range slices.Backward(flight) {
			if text := b.trace.Message(serial).Text; left[text] > 0 {
				left[text]--
				kept = append(kept, serial)
			}
		}
		slices.Reverse(kept)
		b.flights[l] = kept
	}
}

// channels returns the messages under way.
func (b *builder) channels() [][]int {
	all := make([][]int, len(b.flights))
	for l, f := range b.flights {
		all[l] = slices.Clone(f)
	}
	return all
}

// compare reports whether the channels of a state hold the messages under way: if they do not, the run is not
// one of the system.
func (b *builder) compare(state []model.Value) error {
	for l, flight := range b.flights {
		var want, got []string
		for _, serial := range flight {
			want = append(want, b.trace.Message(serial).Text)
		}
		for _, c := range b.sys.Contents(state[b.sys.SlotOfLink(l)]) {
			got = append(got, c.String())
		}
		if !b.trace.FIFO {
			slices.Sort(want)
			slices.Sort(got)
		}
		if !slices.Equal(want, got) {
			return fmt.Errorf("not a run: the %s holds %v, the steps up to here leave %v in it",
				b.protocol.FormatLink(l), got, want)
		}
	}
	return nil
}
