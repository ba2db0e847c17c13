package record

import (
	"bytes"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"ringcheck/results/growth"
)

// A picture shows how a protocol grows.
type picture struct {
	spec string
	file string // relative to the archive, with slashes
	svg  []byte
}

// pictures draws how the complete records of each protocol grow.
func (a *Archive) pictures() ([]picture, error) {
	points, err := a.points()
	if err != nil {
		return nil, err
	}
	var all []picture
	for _, spec := range slices.Sorted(maps.Keys(points)) {
		var b bytes.Buffer
		drawn, err := growth.SVG(&b, spec, points[spec])
		if err != nil {
			return nil, err
		}
		if drawn {
			all = append(all, picture{spec, path.Join("growth", filepath.Base(spec)+".svg"), b.Bytes()})
		}
	}
	return all, nil
}

// points returns the points of each protocol.
func (a *Archive) points() (map[string][]growth.Point, error) {
	points := make(map[string][]growth.Point)
	for _, name := range slices.Sorted(maps.Keys(a.records)) {
		r := a.records[name]
		i, err := r.Instantiate()
		if err != nil {
			return nil, err
		}
		if !r.Complete || i.Size() == 0 {
			continue
		}
		points[r.Spec] = append(points[r.Spec], growth.Point{
			Series: i.Series(), N: int(i.Size()), States: uint64(r.States), Seconds: r.Seconds, Bytes: r.Bytes,
		})
	}
	return points, nil
}
