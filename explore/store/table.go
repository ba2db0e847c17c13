package store

import "fmt"

// Put appends data to a table, at a position above all before it. It is in pieces afterwards, see Each.
func (s *Store) Put(table uint32, at uint64, data []byte) error {
	of := owner{tableEntry, table}
	e, err := s.put(of, at, append(make([]byte, headerBytes), data...))
	if err != nil {
		return fmt.Errorf("write table %d: %w", table, err)
	}
	s.index[of] = append(s.index[of], e)
	return nil
}

// Each calls do with the entries of a table, in the order of their positions. data is valid during the call.
func (s *Store) Each(table uint32, do func(at uint64, data []byte) error) error {
	of := owner{tableEntry, table}
	var buf []byte
	for _, e := range s.index[of] {
		data, err := s.get(fmt.Sprintf("read table %d of %s", table, s.dir), of, e, &buf)
		if err != nil {
			return err
		}
		if err := do(e.at, data); err != nil {
			return err
		}
	}
	return nil
}
