package view

// A rectangle is a rectangle, from its upper left corner.
type rectangle struct{ x, y, w, h px }

func (b rectangle) meets(c rectangle) bool {
	return b.x < c.x+c.w && c.x < b.x+b.w && b.y < c.y+c.h && c.y < b.y+b.h
}

// crossed reports whether a line goes through b.
func (b rectangle) crossed(l line) bool {
	from, to := px(0), px(1) // the part of the line within the sides of b considered so far
	for _, side := range []struct{ at, by, low, high px }{
		{l.X1, l.X2 - l.X1, b.x, b.x + b.w},
		{l.Y1, l.Y2 - l.Y1, b.y, b.y + b.h},
	} {
		if side.by == 0 {
			if side.at < side.low || side.at > side.high {
				return false
			}
			continue
		}
		enter, leave := (side.low-side.at)/side.by, (side.high-side.at)/side.by
		from, to = max(from, min(enter, leave)), min(to, max(enter, leave))
	}
	return from <= to
}

// bounds returns the area of a label.
func (l label) bounds() rectangle {
	w := textWidth(l.Text, labelSize)
	x := l.X
	if l.Anchor == "end" {
		x -= w
	}
	return rectangle{x - 2, l.Y - 12, w + 4, 17}
}

// manyLabels is the number of messages above which placeLabels, whose time is quadratic, does nothing: no reader
// studies so large a picture label by label.
const manyLabels = 1000

// placeLabels moves the labels of messages along their arrows to a position where they overlap nothing, or else to that
// with the least overlap.
func (p *Plan) placeLabels() {
	if len(p.Arrows) > manyLabels {
		return
	}
	var taken, texts []rectangle
	for _, b := range p.Pills {
		taken = append(taken, rectangle{b.X + b.Left(), b.Y + b.Top(), b.W, b.H()})
	}
	for _, b := range p.Bands {
		taken = append(taken, rectangle{b.X - 5, b.Y, 10, b.Z - b.Y})
	}
	for _, b := range p.Signs {
		taken = append(taken, rectangle{b.X - signSize, b.Y - signSize, 2 * signSize, 2 * signSize})
		if b.Label != nil {
			taken = append(taken, b.Label.bounds())
		}
	}
	for i := range p.Arrows {
		for k := range p.Arrows[i].Labels {
			l := &p.Arrows[i].Labels[k]
			*l = p.best(*l, p.Arrows[i].Lines[min(k, len(p.Arrows[i].Lines)-1)], taken, texts)
			texts = append(texts, l.bounds())
		}
	}
}

// best returns the best position for a label of an arrow: two labels that cover each other cannot be read, while one on
// a lane or a line can be.
func (p *Plan) best(l label, on line, taken, texts []rectangle) label {
	best, least := l, px(-1)
	for _, c := range p.candidates(l, on) {
		b, cost := c.bounds(), px(0)
		switch outside := b.x < p.Left || b.x+b.w > p.Width; {
		case outside && p.layout.Bare:
			cost += 1000 // it is cut off
		case outside:
			cost += 30 // it covers the numbers of the steps, or makes the drawing wider
		}
		for _, t := range taken {
			if b.meets(t) {
				cost += 40
			}
		}
		for _, t := range texts {
			if b.meets(t) {
				cost += 200
			}
		}
		for _, a := range p.Arrows {
			for _, line := range a.Lines {
				if b.crossed(line) {
					cost += 10
				}
			}
		}
		if least < 0 || cost < least {
			best, least = c, cost
		}
		if cost == 0 {
			break
		}
	}
	return best
}

// candidates returns positions for a label along its arrow, from the beginning on, which is preferred: at each point
// first before the line, then after it. In a compact plan, the second one
// is at the other side of the beginning.
func (p *Plan) candidates(l label, on line) []label {
	all := []label{l}
	dir, back := px(1), "end"
	if on.X2 < on.X1 {
		dir, back = -1, "start"
	}
	if p.layout.Compact {
		all = append(all, label{on.X1 - dir*8, l.Y, back, l.Text})
	}
	for f := px(.08); f < .8; f += .06 {
		x, y := on.X1+(on.X2-on.X1)*f, on.Y1+(on.Y2-on.Y1)*f
		all = append(all, label{x + dir*8, y - 2, l.Anchor, l.Text}, label{x - dir*8, y + 10, back, l.Text})
	}
	return all
}
