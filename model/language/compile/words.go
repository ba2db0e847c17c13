package compile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

var _ model.Vocabulary = (*System)(nil)

// Messages come first: contents are made of their numbers.
const wordLists = 3

// Words implements model.Vocabulary. A word is what a table's key says, behind its length; the words of a list come behind
// their number. There is a list of messages, one of contents and one of local states.
func (s *System) Words(since []uint32) (words []byte, now []uint32) {
	if since == nil {
		since = make([]uint32, wordLists)
	}
	list := func(first, end uint32, key func(n uint32) []byte) {
		words = binary.AppendUvarint(words, uint64(end-first))
		for n := first; n < end; n++ {
			k := key(n)
			words = append(binary.AppendUvarint(words, uint64(len(k))), k...)
		}
	}
	now = []uint32{s.messages.len(), s.contents.len(), s.locals.len()}
	list(since[0], now[0], func(n uint32) []byte { return messageKey(*s.messages.at(n)) })
	list(since[1], now[1], func(n uint32) []byte { return contentsKey(s.contents.at(n).messages) })
	list(since[2], now[2], func(n uint32) []byte { return localKey(s.locals.at(n).Local) })
	return words, now
}

var errWords = errors.New("learn the words of a system: they make no sense")

// Learn implements model.Vocabulary.
func (s *System) Learn(words []byte) error {
	next := s.known
	for list, learn := range []func(key []byte) (uint32, error){s.learnMessage, s.learnContents, s.learnLocal} {
		n, size := binary.Uvarint(words)
		if size <= 0 {
			return errWords
		}
		words = words[size:]
		for range n {
			length, size := binary.Uvarint(words)
			if size <= 0 || uint64(len(words)-size) < length {
				return errWords
			}
			number, err := learn(words[size : size+int(length)])
			if err != nil {
				return err
			}
			if number != next[list] {
				return fmt.Errorf("learn the words of a system: one has got number %d in place of %d", number, next[list])
			}
			next[list]++
			words = words[size+int(length):]
		}
	}
	s.known = next
	if len(words) > 0 {
		return errWords
	}
	return nil
}

func (s *System) learnMessage(key []byte) (uint32, error) {
	id, args, ok := splitVarints(key)
	if !ok || id < 0 || id >= int64(len(s.protocol.Messages)) || len(args) != len(s.protocol.Messages[id].Fields) {
		return 0, errWords
	}
	return s.internMessage(ir.Content{Message: s.protocol.Messages[id], Args: args}), nil
}

func (s *System) learnContents(key []byte) (uint32, error) {
	var messages []uint32
	for len(key) > 0 {
		m, size := binary.Uvarint(key)
		if size <= 0 || m >= uint64(s.messages.len()) {
			return 0, errWords
		}
		messages = append(messages, uint32(m))
		key = key[size:]
	}
	return s.internContents(messages), nil
}

func (s *System) learnLocal(key []byte) (uint32, error) {
	id, env, ok := splitVarints(key)
	if !ok || id < 0 || id >= int64(len(s.protocol.Points)) || len(env) != len(s.protocol.Points[id].Live) {
		return 0, errWords
	}
	return s.internLocal(ir.Local{Point: s.protocol.Points[id], Env: env}), nil
}

// splitVarints is the inverse of appendKey for at least one number.
func splitVarints(key []byte) (first int64, rest []int64, ok bool) {
	var all []int64
	for len(key) > 0 {
		v, size := binary.Varint(key)
		if size <= 0 {
			return 0, nil, false
		}
		all = append(all, v)
		key = key[size:]
	}
	if len(all) == 0 {
		return 0, nil, false
	}
	return all[0], all[1:], true
}
