// Package exchange writes and reads Markov decision processes in the formats of other tools.
//
//	.umb   UMB 1.0, the unified Markov binary format of PRISM, Storm and others: a tar of an index and arrays
//	.tra   PRISM's explicit text: transitions, with .lab for labels, and .trew and .srew for rewards
//
// Read refuses damaged files: the numbers of rows and array elements must match the header, rows must be in order,
// refer to existing states and not repeat, and an archive must be complete and match its index.
//
// Files are written as PRISM 4.10 and Storm 1.11 read them, according to their source code: states without choices get
// loops (flatten), rewards belong to choices (mean), names are identifiers.
//
// Decimals and doubles cannot represent 1/3. Numbers are taken as written. If the numbers of a choice do not add up to
// 1, they are taken as the simplest fractions that round to the same doubles. If these do not either, the stored
// numbers are divided by their sum, provided that it is within 1e-9 of 1; otherwise the file is refused.
//
// Sources: the specification of UMB (pmc-tools.github.io/umb/spec), and the PRISM manual, appendix "Explicit model
// files".
package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"

	"ringcheck/internal/effort"
	"ringcheck/internal/textfile"
	"ringcheck/verify/prob"
)

// Formats returns the extensions of the files that can be read and written.
func Formats() []string { return []string{".umb", ".tra"} }

// Read reads the process in the file at a path, in the format of its extension; with a .tra file it reads the files
// beside it. assumed lists the assumptions about an inexact or incomplete file, a line each. The error is the error of
// the context, wraps [effort.ErrMemory] if more than memory bytes would be held (0 is no limit), or describes a mistake
// in the file.
func Read(ctx context.Context, path string, memory uint64) (m *prob.MDP, assumed []string, err error) {
	m, assumed, err = read(&effort.Effort{Context: ctx, Limit: memory}, path)
	var inPath *fs.PathError
	if err == nil || errors.As(err, &inPath) || strings.HasPrefix(err.Error(), strings.TrimSuffix(path, ".tra")) {
		return m, assumed, err
	}
	return nil, nil, fmt.Errorf("%s: %w", path, err)
}

func read(f *effort.Effort, path string) (m *prob.MDP, assumed []string, err error) {
	ext := filepath.Ext(path)
	if ext == ".tra" {
		base := strings.TrimSuffix(path, ext)
		open := func(suffix string) (io.ReadCloser, error) { return textfile.Open(base + suffix) }
		return readPRISM(f, base, open)
	}
	file, err := textfile.Open(path)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	if ext == ".umb" {
		return readUMB(f, file)
	}
	return nil, nil, fmt.Errorf("expected a file whose name ends in %s", strings.Join(Formats(), ", "))
}

// Write returns the files that represent a process at a path, in the format of its extension. Each file's name is base
// followed by its Suffix.
func Write(ctx context.Context, path string, m *prob.MDP, exact bool) (base string, files []File, err error) {
	ext := filepath.Ext(path)
	base = strings.TrimSuffix(path, ext)
	switch ext {
	case ".umb":
		return base, []File{{ext, func(w io.Writer) error { return WriteUMB(ctx, w, m, exact) }}}, nil
	case ".tra":
		files, err = PRISM(ctx, m, exact)
		return base, files, err
	}
	return "", nil, fmt.Errorf("the file name must end in %s", strings.Join(Formats(), ", "))
}
