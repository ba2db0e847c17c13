package syntax

import "slices"

// attachComments groups remarks into comments and finds the declarations they belong to. Both remarks and extents are
// in the order of the text.
func attachComments(remarks []comment, extents []Extent) []*Comment {
	var comments []*Comment
	for len(remarks) > 0 {
		// The first declaration that begins after the remark, which may be inside the one before that.
		at, _ := slices.BinarySearchFunc(extents, remarks[0].pos, func(e Extent, pos Pos) int {
			return ComparePos(e.Start, pos)
		})
		run := 1
		if !remarks[0].beside {
			run = runLength(remarks, extents[at:])
		}
		c := newComment(remarks[:run], extents, at)
		remarks = remarks[run:]
		if c.Before == nil && c.Beside == nil {
			c.Apart = len(remarks) > 0
		}
		if last := len(comments) - 1; last >= 0 && continues(comments[last], c) {
			comments[last].Lines = append(comments[last].Lines, c.Lines...)
			comments[last].Apart = c.Apart
		} else {
			comments = append(comments, c)
		}
	}
	return comments
}

// paragraphs reports for each declaration except the first whether an empty line precedes it and its comments.
func paragraphs(remarks []comment, extents []Extent) []bool {
	spaced := make([]bool, len(extents))
	for i := 1; i < len(extents); i++ {
		last, first := extents[i-1].End, extents[i].Start
		for len(remarks) > 0 && ComparePos(remarks[0].pos, last) < 0 {
			remarks = remarks[1:]
		}
		if len(remarks) > 0 && remarks[0].beside && remarks[0].pos.Line == last.Line {
			remarks = remarks[1:]
		}
		if len(remarks) > 0 && ComparePos(remarks[0].pos, first) < 0 {
			first = remarks[0].pos
		}
		spaced[i] = first.Line > last.Line+1
	}
	return spaced
}

// runLength returns the number of remarks on consecutive lines of their own before the next declaration, behind[0].
func runLength(remarks []comment, behind []Extent) int {
	n := 1
	for ; n < len(remarks); n++ {
		r := remarks[n]
		if r.beside || r.pos.Line != remarks[n-1].pos.Line+1 {
			break
		}
		if len(behind) > 0 && ComparePos(behind[0].Start, r.pos) < 0 {
			break
		}
	}
	return n
}

// newComment returns the comment of a run of remarks that begins between the starts of extents[at-1] and extents[at].
func newComment(run []comment, extents []Extent, at int) *Comment {
	c := &Comment{Pos: run[0].pos, Behind: run[0].beside}
	for _, r := range run {
		c.Lines = append(c.Lines, r.str)
	}
	if at > 0 {
		holder := extents[at-1]
		switch {
		case ComparePos(c.Pos, holder.End) < 0:
			c.Before, c.Inside = holder.Decl, true
			return c
		case run[0].beside && c.Pos.Line == holder.End.Line:
			c.Beside = holder.Decl
			return c
		}
	}
	if at < len(extents) {
		c.Before = extents[at].Decl
		c.Apart = extents[at].Start.Line > run[len(run)-1].pos.Line+1
	}
	return c
}

// continues reports whether d will be printed directly below c.
func continues(c, d *Comment) bool {
	return !c.Apart && c.Beside == nil && d.Beside == nil && c.Before == d.Before && !c.Inside && !d.Inside
}
