package explore

// Spilling returns options of a search that spills when a number of states are stored, from then on with room for
// another number of undecided state IDs.
func Spilling(opt Options, at uint64, undecided int) Options {
	opt.Spill, opt.spilling = true, spilling{at, undecided}
	return opt
}

// Interpose makes a Space that has spilled call a function before each access to its disk: see store.Store.Interpose.
func Interpose(s *Space, f func(doing string) error) {
	s.search.storage.(*spilled).disk.db.Interpose(f)
}
