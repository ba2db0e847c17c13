package level

import (
	"encoding/binary"
	"errors"
	"runtime"
	"sync"

	"github.com/klauspost/compress/zstd"
)

// ErrDamaged means that a file or block is corrupt.
var ErrDamaged = errors.New("damaged")

// A decoder reads numbers from the front of data. After the first error it is bad and reads nothing more.
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

// count reads the number of elements that take at least a byte each.
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

// The compressed form is deterministic. Blocks get a better compression than files: they are smaller, written and read
// once, and sent over a network.
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
