package view

import (
	"cmp"
	"strings"
)

// A weight says how a line is drawn: not at all, light or heavy.
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

// A cell is one character of a chart: the lines that meet in it, or a character over them.
type cell struct {
	arms arms
	line rune // for a light vertical line that nothing crosses; 0: │
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
		case c.line != 0 && c.arms == arms{up: light, down: light}:
			b.WriteRune(c.line)
		default:
			b.WriteRune(cmp.Or(glyphs[c.arms], ' '))
		}
	}
	return strings.TrimRight(b.String(), " ")
}

// glyphs are the characters for lines. No others are necessary: lines only cross or turn by a right angle.
var glyphs = map[arms]rune{
	{left: light, right: light}: '─', {right: light}: '─', {left: light}: '─',
	{left: heavy, right: heavy}: '━', {right: heavy}: '━', {left: heavy}: '━',
	{up: light, down: light}: '│', {up: heavy, down: heavy}: '┃',
	{light, light, light, light}: '┼', {heavy, heavy, light, light}: '╂',
	{light, light, heavy, heavy}: '┿', {heavy, heavy, heavy, heavy}: '╋',
	{down: light, left: light}: '╮', {down: light, right: light}: '╭',
	{up: light, left: light}: '╯', {up: light, right: light}: '╰',
	{down: heavy, left: heavy}: '┓', {down: heavy, right: heavy}: '┏',
	{up: heavy, left: heavy}: '┛', {up: heavy, right: heavy}: '┗',
}
