package explore

// Spilling returns options of a search that spills when a number of states are stored, from then on with room for
// another size of a collection.
func Spilling(opt Options, at uint64, collection int) Options {
	opt.Spill, opt.spilling = true, spilling{at, collection}
	return opt
}

// Interpose makes a Space that has spilled call a function before each access to its disk: see store.Store.Interpose.
func Interpose(s *Space, f func(doing string) error) {
	s.search.storage.(*diskStorage).disk.db.Interpose(f)
}
