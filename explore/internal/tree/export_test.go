package tree

// RareGroups returns the number of spanning groups whose pairs of projections are mostly met once.
func (s *Store) RareGroups() (n int) {
	w := s.Worker()
	for _, of := range s.nodes {
		for _, g := range of.tabulatedGroups {
			if w.rare(of, g) {
				n++
			}
		}
	}
	return n
}
