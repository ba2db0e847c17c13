package visited

// recent holds roots that an inserter has put or found lately. In breadth-first order most of the paths that join in a
// state do so close together: two independent transitions in either order.
type recent [1 << recentBits]uint64

// recentBits makes recent fill a quarter of a second-level cache.
const recentBits = 13

// at returns the place of a root, which holds it or another one.
func (r *recent) at(root uint64) *uint64 { return &r[root*0x9e3779b97f4a7c15>>(64-recentBits)] }

// forget empties r. 2^64-1 is no root.
func (r *recent) forget() {
	for i := range r {
		r[i] = 1<<64 - 1
	}
}
