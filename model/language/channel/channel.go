// Package channel is the table of the disciplines of channels.
//
//	Disciplines  the table, in the order of docs/language.md
//	Discipline   an entry: where a message enters the contents of a channel, and which messages can be received
//
// Every engine reads this table. Package spectest has the meaning of each discipline once more, for tests.
package channel

import "sort"

// A Discipline is the way in which a channel handles its contents, a list of messages. Its zero value, without a
// keyword, belongs to protocols without channels.
type Discipline struct {
	Keyword string
	Doc     string // what a channel of this discipline is, in a sentence
	Entry   Entry
	First   bool // only the first message of the contents can be received; otherwise any message
	Sync    bool // a message is sent and received in one step, so that there are no contents
}

// An Entry is the place in the contents of a channel where a message goes that is sent.
type Entry int

// The entries.
const (
	Sorted Entry = iota // between lesser and greater messages, so that the contents are a multiset
	Back                // after all others
	Front               // before all others
)

// Disciplines are the disciplines of the language. The option --channel counts them from 0.
var Disciplines = []Discipline{
	{"unordered", "An `unordered` channel is a multiset: any message in it can be received.", Sorted, false, false},
	{"fifo", "A `fifo` channel is a queue: only the message that was sent first can be received.", Back, true, false},
	{"lifo", "A `lifo` channel is a stack: only the message that was sent last can be received.", Front, true, false},
	{"sync", "A `sync` channel holds no message: a send and its receipt are one step.", Sorted, false, true},
}

// Keywords returns the keywords of the disciplines in their order.
func Keywords() []string {
	words := make([]string, len(Disciplines))
	for i, d := range Disciplines {
		words[i] = d.Keyword
	}
	return words
}

// Insert returns the index at which a message enters contents of the given length. NotLess(i) reports whether message i
// of the contents is not less than the new one.
func (d Discipline) Insert(length int, notLess func(i int) bool) int {
	switch d.Entry {
	case Sorted:
		return sort.Search(length, notLess)
	case Back:
		return length
	case Front:
		return 0
	}
	panic("channel: unknown entry")
}

// Buffers returns the keywords of the disciplines of channels that hold messages.
func Buffers() (words []string) {
	for _, d := range Disciplines {
		if !d.Sync {
			words = append(words, d.Keyword)
		}
	}
	return words
}

// Index returns the index in contents of the given length of the message that was sent after number of the others. If
// contents are a multiset it is not known, and the result is as if messages were in the order in which they were sent.
func (d Discipline) Index(number, length int) int {
	switch d.Entry {
	case Sorted, Back:
		return number
	case Front:
		return length - 1 - number
	}
	panic("channel: unknown entry")
}

// Receivable returns the number of messages at the beginning of contents of the given length that can be received.
func (d Discipline) Receivable(length int) int {
	if d.First {
		return min(length, 1)
	}
	return length
}

// Ordered reports whether contents are a sequence; otherwise they are a multiset, sorted in ascending order.
func (d Discipline) Ordered() bool { return d.Entry != Sorted }

// InOrder reports whether messages are received in the order in which they are sent.
func (d Discipline) InOrder() bool { return d.Entry == Back && d.First }

// SendDisables reports whether a message that is sent may make another one in its channel impossible to receive. If
// not, sending to a channel commutes with receiving from it.
func (d Discipline) SendDisables() bool { return d.Entry != Back && d.First }
