package store

import (
	"context"
	"errors"
)

// A browser gives a program no files: there are no stores, and a search ends where its memory does.

var errBrowser = errors.New("a program in a browser has no disk")

// A browser has no store: the methods of these types are not called.
type (
	Store struct{}
	Run   struct {
		Number uint32
		IDs    uint64
	}
	Writer struct{}
	Reader struct{}
	Joiner struct{}
	Pile   struct{}
	Extent struct{}
)

// Create, Open and Temporary return an error.
var Create, Open, Temporary = unavailable, unavailable, unavailable

func unavailable(string) (*Store, error) { return nil, errBrowser }

// ReadRecord returns an error.
func ReadRecord(string) ([]byte, error) { return nil, errBrowser }

// Number returns 0, of no runs.
func Number([]*Run) uint64 { return 0 }

func (*Store) Bytes() int64                                             { return 0 }
func (*Store) Close() error                                             { return errBrowser }
func (*Store) Commit([]byte) error                                      { return errBrowser }
func (*Store) Dir() string                                              { return "" }
func (*Store) Each(uint32, func(uint64, []byte) error) error            { return errBrowser }
func (*Store) Joiner(context.Context, []*Run) *Joiner                   { return nil }
func (*Store) Load(uint32, uint64, int) (*Run, error)                   { return nil, errBrowser }
func (*Store) Pile() (*Pile, error)                                     { return nil, errBrowser }
func (*Store) Prune(func(uint32) bool, func(uint32, uint64) bool) error { return errBrowser }
func (*Store) Put(uint32, uint64, []byte) error                         { return errBrowser }
func (*Store) Reader() *Reader                                          { return nil }
func (*Store) Writer() *Writer                                          { return nil }

func (*Writer) Add([]uint64) error                          { return errBrowser }
func (*Writer) Fork() *Writer                               { return nil }
func (*Writer) EndBlock() error                             { return errBrowser }
func (*Writer) Finish(...*Writer) (*Run, error)             { return nil, errBrowser }
func (*Reader) Block(*Run, int, []uint64) ([]uint64, error) { return nil, errBrowser }
func (*Reader) Close()                                      {}
func (*Joiner) Close()                                      {}
func (*Joiner) Expect([]uint64)                             {}
func (*Joiner) Find([]uint64) ([]bool, error)               { return nil, errBrowser }
func (*Joiner) Numbers([]uint64) ([]uint64, error)          { return nil, errBrowser }
func (*Pile) Add([]byte) (Extent, error)                    { return Extent{}, errBrowser }
func (*Pile) Close()                                        {}
func (*Pile) Read(Extent, *[]byte) ([]byte, error)          { return nil, errBrowser }
func (*Run) Blocks() int                                    { return 0 }
func (*Run) First() uint64                                  { return 0 }
func (*Run) BlockOf(uint64) (int, uint64)                   { return 0, 0 }
