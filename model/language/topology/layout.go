package topology

import "math"

// A Point is a position in a picture: x to the right and y down, from -1 to 1.
type Point struct {
	X float64 `json:"x"`
	Y float64 `json:"y"`
}

// Layout returns the positions of the processes in a picture, given the sizes; the second is 1 if there is only one. It
// is nil for a circle, clockwise from the top.
func (k *Kind) Layout(a, b int) []Point {
	if k.layout == nil {
		return nil
	}
	return k.layout(a, b)
}

// circlePoint returns the i-th of n points on a circle, clockwise from the top.
func circlePoint(i, n int) Point {
	sin, cos := math.Sincos(2 * math.Pi * float64(i) / float64(n))
	return Point{sin, -cos}
}

// row returns n points from left to right at a height, of which two neighbours are gap apart.
func row(n int, gap, y float64) []Point {
	points := make([]Point, n)
	for i := range points {
		points[i] = Point{gap * (float64(i) - float64(n-1)/2), y}
	}
	return points
}

// gapOf returns the distance of neighbours if n points fill the picture.
func gapOf(n int) float64 { return 2 / float64(max(1, n-1)) }

// rows returns the points of a grid of w by h processes.
func rows(w, h int) (points []Point) {
	gap := gapOf(max(w, h))
	for y := range h {
		points = append(points, row(w, gap, gap*(float64(y)-float64(h-1)/2))...)
	}
	return points
}

// wheel returns a point in the middle, and the others on a circle.
func wheel(n, _ int) []Point {
	points := make([]Point, n)
	for i := 1; i < n; i++ {
		points[i] = circlePoint(i-1, n-1)
	}
	return points
}

// tree returns the points of a binary tree, with its root at the top: the leaves are as far apart as they can be, and a
// process is above the middle of its children.
func tree(n, _ int) []Point {
	points := make([]Point, n)
	leaves, depth := 0, 0
	var place func(p, level int)
	place = func(p, level int) {
		depth = max(depth, level)
		points[p] = Point{float64(leaves), float64(level)}
		left, right := 2*p+1, 2*p+2
		if left >= n {
			leaves++
			return
		}
		place(left, level+1)
		points[p].X = points[left].X
		if right < n {
			place(right, level+1)
			points[p].X = (points[left].X + points[right].X) / 2
		}
	}
	place(0, 0)
	gap, level := gapOf(leaves), gapOf(depth+1)
	for i := range points {
		points[i].X = gap * (points[i].X - float64(leaves-1)/2)
		points[i].Y = level * (points[i].Y - float64(depth)/2)
	}
	return points
}

// twoRows returns a points above b points.
func twoRows(a, b int) []Point {
	gap := gapOf(max(a, b))
	return append(row(a, gap, -.7), row(b, gap, .7)...)
}

// cube returns the points of a hypercube of dimension 4 at most: a cube in perspective, four dimensions as two regular
// octagons. It returns nil, which means a circle, for other dimensions.
func cube(d, _ int) []Point {
	axes := []Point{{1.2, 0}, {0, 1.2}, {.7, -.45}}
	switch {
	case d > 4:
		return nil
	case d == 4:
		axes = nil
		for i := range d {
			sin, cos := math.Sincos(math.Pi * (float64(i) + .5) / 4)
			axes = append(axes, Point{.76 * cos, .76 * sin})
		}
	}
	points := make([]Point, 1<<d)
	for p := range points {
		for i, axis := range axes[:d] {
			sign := float64(p>>i&1) - .5
			points[p].X += sign * axis.X
			points[p].Y += sign * axis.Y
		}
	}
	return points
}
