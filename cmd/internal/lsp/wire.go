//go:build !js

package lsp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/creachadair/jrpc2/channel"
)

// maxMessage is the greatest size of a message in bytes.
const maxMessage = 64 << 20

// A wire frames messages as channel.LSP does, but allocates no more than maxMessage for what a header announces, and
// little for a header.
type wire struct {
	channel.Channel
	in *bufio.Reader
}

func newWire(in io.Reader, out io.WriteCloser) *wire {
	return &wire{channel.LSP(nil, out), bufio.NewReader(in)}
}

// Recv returns the next message. The error is io.EOF after the last message.
func (w *wire) Recv() ([]byte, error) {
	length := ""
	for {
		raw, err := w.in.ReadSlice('\n')
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			return nil, errors.New("a line of a header is too long")
		case errors.Is(err, io.EOF) && len(raw) > 0:
			return nil, io.ErrUnexpectedEOF
		case err != nil:
			return nil, err
		}
		line := strings.TrimSpace(string(raw))
		if line == "" {
			break
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return nil, fmt.Errorf("%q is no line of a header", line)
		}
		if strings.EqualFold(name, "Content-Length") {
			length = strings.TrimSpace(value)
		}
	}
	size, err := strconv.ParseUint(length, 10, 64)
	if err != nil || size > maxMessage {
		return nil, fmt.Errorf("Content-Length %q: expected a number up to %d", length, maxMessage)
	}
	message := make([]byte, size)
	if _, err = io.ReadFull(w.in, message); errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return message, err
}
