package level

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"ringcheck/explore"
	"ringcheck/model"
)

// A System expands and merges the states of a search in this process. It is safe for concurrent use.
type System struct {
	sys      model.System
	codec    model.Codec
	quotient model.Quotient // what sys is, or nil
	slots    int
	shards   int
	files    Files
	judge    Judge // or nil

	mu        sync.Mutex
	space     *space
	workers   []any // *worker[H], idle
	manifests []*knownLevel
	after     *knownLevel // the level of the last of them, with the words that are new at the next one
	fresh     []Word      // these
}

// knownLevel is a manifest with its words.
type knownLevel struct {
	*Manifest
	words  *Words
	layout Layout
}

// ErrUnsuited means that states of a system have no machine-independent encoding, or too long an encoding.
var ErrUnsuited = errors.New("states of this system cannot be given to another machine")

// expanderBytes bounds the memory of an expander's cache before it is dropped.
const expanderBytes = 2 << 30

// A space numbers halves of states and their classes.
type space struct {
	*explore.Expander
	classes *explore.Classes // nil without a judge
}

// A Judge classifies states by what properties depend on. It must be safe for concurrent use.
type Judge interface {
	explore.Observer
	// Letters returns a string for a class and the numbers that its states show, the same in all processes.
	Letters(class uint32) (told string, shown []int)
}

// NewSystem returns a System that searches sys in shards. Unless judge is nil, manifests hold its observations, and the
// states of all levels are kept for Predecessor.
func NewSystem(sys model.System, shards int, files Files, judge Judge) (*System, error) {
	codec, ok := model.As[model.Codec](sys)
	if !ok {
		return nil, ErrUnsuited
	}
	if err := model.Validate(sys); err != nil {
		return nil, err
	}
	s := &System{sys: sys, codec: codec, slots: len(sys.Slots()), shards: shards, files: files, judge: judge}
	s.quotient, _ = model.As[model.Quotient](sys)
	s.space = s.newSpace()
	return s, nil
}

func (s *System) newSpace() *space {
	x, err := explore.NewExpander(s.sys)
	if err != nil {
		panic(err) // it is valid
	}
	p := &space{Expander: x}
	if s.judge != nil {
		p.classes = x.Classes(s.judge)
	}
	return p
}

// keptManifests is the size of the manifest cache.
const keptManifests = 4

// manifest returns the manifest of a complete level.
func (s *System) manifest(ctx context.Context, level int) (*knownLevel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, k := range s.manifests {
		if k.Level == level {
			return k, nil
		}
	}
	m, err := ReadManifest(ctx, s.files, level)
	if err != nil {
		return nil, err
	}
	words, err := m.words(s.slots)
	if err != nil {
		return nil, err
	}
	if len(m.Shards) != s.shards {
		return nil, fmt.Errorf("%s: %w: it has %d shards", manifestOf(level), ErrDamaged, len(m.Shards))
	}
	k, err := s.know(m, words)
	if err != nil {
		return nil, err
	}
	if len(s.manifests) == keptManifests {
		s.manifests = s.manifests[1:]
	}
	s.manifests = append(s.manifests, k)
	return k, nil
}

// withWords returns k extended by the words that are new at the next level. It is called once per shard.
func (s *System) withWords(k *knownLevel, fresh []Word) (*knownLevel, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.after != nil && s.after.Manifest == k.Manifest && slices.Equal(s.fresh, fresh) {
		return s.after, nil
	}
	after, err := s.know(k.Manifest, k.words.Extend(fresh))
	if err == nil {
		s.after, s.fresh = after, fresh
	}
	return after, err
}

// know pairs a manifest with its words.
func (s *System) know(m *Manifest, words *Words) (*knownLevel, error) {
	k := &knownLevel{m, words, words.Layout(s.space.Split())}
	if k.layout.halfWords() > maxHalfWords {
		return nil, fmt.Errorf("%w: one takes more than %d bytes", ErrUnsuited, 16*maxHalfWords)
	}
	return k, nil
}

// An engine does the work of a System with keys of one length.
type engine interface {
	expand(ctx context.Context, k *knownLevel, task int, emit Emit) (Part, []Word, error)
	merge(ctx context.Context, k, now *knownLevel, shard int, blocks [][]byte) (Part, error)
	predecessor(ctx context.Context, k *knownLevel, task int, target []byte) ([]byte, error)
}

// sizedEngine is the engine for keys whose halves fit in H.
type sizedEngine[H half] struct{ *System }

// engine returns the engine for the keys of a level.
func (s *System) engine(k *knownLevel) engine {
	switch n := k.layout.halfWords(); {
	case n == 1:
		return sizedEngine[[1]uint64]{s}
	case n == 2:
		return sizedEngine[[2]uint64]{s}
	case n <= 4:
		return sizedEngine[[4]uint64]{s}
	}
	return sizedEngine[[16]uint64]{s}
}

// acquire returns a worker, idle or new, that knows the words of a level. The caller releases it.
func (s sizedEngine[H]) acquire(k *knownLevel) *worker[H] {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.space.Bytes()+s.space.classes.Bytes() > expanderBytes {
		s.space, s.workers = s.newSpace(), nil
	}
	for i, idle := range s.workers {
		if w, ok := idle.(*worker[H]); ok {
			s.workers = append(s.workers[:i:i], s.workers[i+1:]...)
			w.learn(k)
			return w
		}
	}
	return newWorker[H](s.System, s.space, k)
}

// newWorker returns a worker that is not released.
func (s sizedEngine[H]) newWorker(k *knownLevel) *worker[H] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return newWorker[H](s.System, s.space, k)
}

func (s sizedEngine[H]) release(w *worker[H]) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w.of == s.space {
		s.workers = append(s.workers, w)
	}
}
