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

// appendHalf encodes a half as binary.AppendUvarint does, whatever its length.
func appendHalf[H half](buf []byte, h H) []byte {
	for {
		low := h[len(h)-1]
		high := uint64(0)
		for i := range len(h) - 1 {
			high |= h[i]
		}
		if high == 0 {
			return binary.AppendUvarint(buf, low)
		}
		buf = append(buf, byte(low)|0x80)
		pop(&h, 7)
	}
}

// takeHalf is the reverse.
func takeHalf[H half](d *decoder) (h H) {
	last := len(h) - 1
	for i, b := range d.data {
		at := 7 * i
		word := last - at/64
		if word < 0 {
			break
		}
		v := uint64(b & 0x7f)
		h[word] |= v << (at % 64)
		if at%64 > 57 {
			over := v >> (64 - at%64)
			if word > 0 {
				h[word-1] |= over
			} else if over != 0 {
				break
			}
		}
		if b < 0x80 {
			d.data = d.data[i+1:]
			return h
		}
	}
	d.bad, d.data = true, nil
	return h
}

// The compression of blocks and files: what it makes of the same bytes is the same everywhere.
var (
	compressor = sync.OnceValue(func() *zstd.Encoder {
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderCRC(false),
			zstd.WithEncoderConcurrency(runtime.GOMAXPROCS(0)), zstd.WithWindowSize(1<<18), zstd.WithLowerEncoderMem(true))
		if err != nil {
			panic(err) // the options are constant
		}
		return e
	})
	decompressor = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(1<<26))
		if err != nil {
			panic(err)
		}
		return d
	})
)
