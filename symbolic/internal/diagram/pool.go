package diagram

import (
	"slices"
	"sync"
	"sync/atomic"
)

// A pool is the workers of a store that have something to do, and what they have to offer to the others.
type pool struct {
	store   *Store
	mu      sync.Mutex
	changed *sync.Cond
	running int          // workers that are not waiting
	idle    atomic.Int32 // workers that wait for something to do
	stop    atomic.Bool  // all are to pause, for a collection
	room    int          // that it is to make
	jobs    []*job       // that are not done
	closed  bool
}

// A job is n parts that can be done in any order.
type job struct {
	part func(w *Worker, i int)
	n    int
	next atomic.Int64 // the first part that nobody does yet
	done atomic.Int64 // parts
}

func (p *pool) init(s *Store) {
	p.store = s
	p.changed = sync.NewCond(&p.mu)
}

// Worker returns worker i.
func (s *Store) Worker(i int) *Worker { return s.workers[i] }

// Run lets w do main, in the goroutine of the caller. Other workers help where it offers parts.
func (w *Worker) Run(main func()) {
	p := &w.store.pool
	p.mu.Lock()
	p.start()
	p.mu.Unlock()
	defer p.leave()
	main()
}

// Help lets w do parts of what others do, in the goroutine of the caller, until the store is dismissed.
func (w *Worker) Help() {
	p := &w.store.pool
	p.mu.Lock()
	p.start()
	p.mu.Unlock()
	defer p.leave()
	for p.help(w, func() bool { return p.closed }) {
	}
}

// Convene lets workers help again after they were dismissed.
func (s *Store) Convene() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.closed = false
}

// Dismiss lets Help return.
func (s *Store) Dismiss() {
	s.pool.mu.Lock()
	defer s.pool.mu.Unlock()
	s.pool.closed = true
	s.pool.changed.Broadcast()
}

// start waits until no garbage is collected, and counts a worker as running. The caller holds the mutex.
func (p *pool) start() {
	for p.stop.Load() {
		p.changed.Wait()
	}
	p.running++
}

// end counts a worker as not running, and collects garbage if that is what others wait for. The caller holds the mutex.
func (p *pool) end() {
	p.running--
	if p.running == 0 && p.stop.Load() {
		p.store.makeRoom(p.room)
		p.room = 0
		p.stop.Store(false)
		p.changed.Broadcast()
	}
}

func (p *pool) leave() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

// pause lets garbage be collected.
func (w *Worker) pause() {
	p := &w.store.pool
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
	p.start()
}

// Poll is called now and then by what takes long, with everything protected that is still needed. It returns whether the
// store is halted.
func (w *Worker) Poll() (halted bool) {
	if w.store.pool.stop.Load() {
		w.pause()
	}
	return w.store.Halted()
}

// Each calls part for each i below n. Workers that have nothing to do take part, so that several calls can run at a time. What
// the parts read is protected by the caller.
func (w *Worker) Each(n int, part func(w *Worker, i int)) {
	p := &w.store.pool
	if n < 2 || p.idle.Load() == 0 {
		for i := range n {
			part(w, i)
		}
		return
	}
	j := &job{part: part, n: n}
	p.mu.Lock()
	p.jobs = append(p.jobs, j)
	p.changed.Broadcast()
	p.mu.Unlock()
	defer p.withdraw(w, j)
	j.work(w)
}

// All is Each for parts that have a node as their result. The results are protected until Drop.
func (w *Worker) All(n int, part func(w *Worker, i int) Node) []Node {
	results := make([]Node, n)
	w.results = append(w.results, results)
	w.Each(n, func(other *Worker, i int) { results[i] = part(other, i) })
	return results
}

// Drop ends the protection of the results of the last All.
func (w *Worker) Drop() { w.results = w.results[:len(w.results)-1] }

// withdraw takes a job of w from the list and waits until all parts are done, helping others.
func (p *pool) withdraw(w *Worker, j *job) {
	done := func() bool { return j.done.Load() == int64(j.n) }
	for p.help(w, done) {
	}
}

// Alone reports whether there is nobody who would help.
func (w *Worker) Alone() bool { return w.store.pool.idle.Load() == 0 }

// help does parts of some job. It returns false if enough says that there is nothing to wait for any more.
func (p *pool) help(w *Worker, enough func() bool) bool {
	p.mu.Lock()
	p.jobs = slices.DeleteFunc(p.jobs, func(j *job) bool { return j.next.Load() >= int64(j.n) })
	var j *job
	switch {
	case enough():
		p.mu.Unlock()
		return false
	case len(p.jobs) > 0:
		j = p.jobs[0]
	default:
		p.idle.Add(1)
		p.end()
		p.changed.Wait()
		p.start()
		p.idle.Add(-1)
	}
	p.mu.Unlock()
	if j != nil {
		j.work(w)
	}
	return true
}

// work does parts of j until nobody needs to begin one.
func (j *job) work(w *Worker) {
	for i := j.next.Add(1) - 1; i < int64(j.n); i = j.next.Add(1) - 1 {
		j.do(w, int(i))
	}
}

func (j *job) do(w *Worker, i int) {
	defer func() {
		if j.done.Add(1) == int64(j.n) {
			p := &w.store.pool
			p.mu.Lock()
			p.changed.Broadcast()
			p.mu.Unlock()
		}
	}()
	j.part(w, i)
}
