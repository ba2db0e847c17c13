package level

import "context"

// Next does all the work on a level in this process, one shard after the other, and returns the manifest of the next one. It is what a
// cluster does, said plainly.
func (s *System) Next(ctx context.Context, m *Manifest) (*Manifest, error) {
	blocks := make([][][]byte, s.shards)
	var parts []Part
	var fresh []Word
	for _, shard := range m.Active() {
		p, words, err := s.Expand(ctx, m.Level, shard, func(to int, block []byte) error {
			blocks[to] = append(blocks[to], block)
			return nil
		})
		if err != nil {
			return nil, err
		}
		parts, fresh = append(parts, p), append(fresh, words...)
	}
	for shard, sent := range blocks {
		if len(sent) == 0 {
			continue
		}
		p, err := s.Merge(ctx, m.Level, shard, fresh, sent)
		if err != nil {
			return nil, err
		}
		parts = append(parts, p)
	}
	return s.Commit(ctx, m.Level, fresh, parts)
}
