package intern

// Pairs numbers pairs of 32-bit numbers densely from 0 on, and gives them back. The zero value is ready for use by many
// goroutines.
type Pairs struct {
	numbers Numbering
	pairs   Array[uint64]
}

// Pair packs two numbers into a key.
func Pair(left, right uint32) uint64 { return uint64(left)<<32 | uint64(right) }

// Split unpacks a key.
func Split(pair uint64) (left, right uint32) { return uint32(pair >> 32), uint32(pair) }

// Number returns the number of a pair, giving it one if it has none.
func (p *Pairs) Number(pair uint64) uint32 {
	if n, ok := p.numbers.Load(pair); ok {
		return n
	}
	return p.add(pair)
}

func (p *Pairs) add(pair uint64) uint32 {
	return p.numbers.LoadOrCreate(pair, func(n uint32) { *p.pairs.At(n) = pair })
}

// At returns the pair with number n, which Number has returned before.
func (p *Pairs) At(n uint32) uint64 { return *p.pairs.At(n) }

// Len returns how many pairs have a number.
func (p *Pairs) Len() int { return p.numbers.Len() }

// Bytes returns the memory that p holds.
func (p *Pairs) Bytes() int64 { return p.numbers.Bytes() + p.pairs.Bytes() }
