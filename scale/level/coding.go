package level

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// ErrDamaged means that a file or a block is not as it was written.
var ErrDamaged = errors.New("damaged")

// A decoder takes numbers from the beginning of data. Once something is wrong it is bad, and takes nothing more.
type decoder struct {
	data []byte
	bad  bool
}

func (d *decoder) number() uint64 {
	v, n := binary.Uvarint(d.data)
	if n <= 0 {
		d.bad, d.data = true, nil
		return 0
	}
	d.data = d.data[n:]
	return v
}

// count takes a number of things that take at least a byte each.
func (d *decoder) count() int {
	n := d.number()
	if n > uint64(len(d.data)) {
		d.bad, d.data = true, nil
		return 0
	}
	return int(n)
}

func (d *decoder) bytes(n int) []byte {
	if n > len(d.data) {
		d.bad, d.data = true, nil
		return nil
	}
	b := d.data[:n]
	d.data = d.data[n:]
	return b
}

// Compression: what it makes of the same bytes is the same everywhere. Blocks are smaller than chunks of a file, are
// written once and read once, and go over a network: more is done for them.
var (
	fileCompressor  = sync.OnceValue(func() *zstd.Encoder { return newCompressor(zstd.SpeedFastest) })
	blockCompressor = sync.OnceValue(func() *zstd.Encoder { return newCompressor(zstd.SpeedDefault) })
	decompressor    = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxChunk))
		if err != nil {
			panic(err) // the options are constant
		}
		return d
	})
)

func newCompressor(l zstd.EncoderLevel) *zstd.Encoder {
	e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(l), zstd.WithEncoderCRC(false), zstd.WithSingleSegment(true),
		zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithWindowSize(1<<18), zstd.WithLowerEncoderMem(true))
	if err != nil {
		panic(err) // the options are constant
	}
	return e
}
