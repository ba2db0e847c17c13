package view

import "strings"

// A weight is how a line is drawn.
type weight uint8

const (
	none weight = iota
	light
	heavy
)

// arms are the lines that leave a cell: up, down, left, right.
type arms [4]weight

const (
	up = iota
	down
	left
	right
)

// A cell is one character of a chart: lines that meet in it, or something that hides them.
type cell struct {
	arms arms
	line rune // what a vertical line that nothing crosses looks like; 0: │
	over rune // 0: the lines
}

// A row is one line of a chart.
type row []cell

// vertical draws a line through column x.
func (r row) vertical(x int, w weight) {
	r[x].arms[up], r[x].arms[down] = w, w
}

// horizontal draws a line from column x to column y, in either direction.
func (r row) horizontal(x, y int, w weight) {
	x, y = min(x, y), max(x, y)
	for i := x; i <= y; i++ {
		if i > x {
			r[i].arms[left] = w
		}
		if i < y {
			r[i].arms[right] = w
		}
	}
}

// text writes s from column x on.
func (r row) text(x int, s string) {
	for _, c := range s {
		r[x].over = c
		x++
	}
}

// String returns the row without the blanks at its end.
func (r row) String() string {
	var b strings.Builder
	for _, c := range r {
		switch {
		case c.over != 0:
			b.WriteRune(c.over)
		case c.line != 0 && c.arms == arms{light, light, none, none}:
			b.WriteRune(c.line)
		default:
			b.WriteRune(c.arms.glyph())
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// glyph returns the character that looks like the lines. Those it does not know do not occur: lines cross,
// or turn by a right angle.
func (a arms) glyph() rune {
	switch a {
	case arms{none, none, light, light}, arms{none, none, none, light}, arms{none, none, light, none}:
		return '─'
	case arms{none, none, heavy, heavy}, arms{none, none, none, heavy}, arms{none, none, heavy, none}:
		return '━'
	case arms{light, light, none, none}:
		return '│'
	case arms{heavy, heavy, none, none}:
		return '┃'
	case arms{light, light, light, light}:
		return '┼'
	case arms{heavy, heavy, light, light}:
		return '╂'
	case arms{light, light, heavy, heavy}:
		return '┿'
	case arms{heavy, heavy, heavy, heavy}:
		return '╋'
	}
	return a.corner()
}

func (a arms) corner() rune {
	switch a {
	case arms{none, light, light, none}:
		return '╮'
	case arms{none, light, none, light}:
		return '╭'
	case arms{light, none, light, none}:
		return '╯'
	case arms{light, none, none, light}:
		return '╰'
	case arms{none, heavy, heavy, none}:
		return '┓'
	case arms{none, heavy, none, heavy}:
		return '┏'
	case arms{heavy, none, heavy, none}:
		return '┛'
	case arms{heavy, none, none, heavy}:
		return '┗'
	}
	return ' '
}
