package sat

// A heap holds variables, the one that is less than all others first.
type heap struct {
	list []uint32
	at   []int32 // by variable: its place in list from 1 on, 0 if it is not there
	less func(a, b uint32) bool
}

func (h *heap) grow(v uint32) {
	for uint32(len(h.at)) <= v {
		h.at = append(h.at, 0)
	}
}

func (h *heap) push(v uint32) {
	if h.at[v] == 0 {
		h.list = append(h.list, v)
		h.at[v] = int32(len(h.list))
		h.rise(v)
	}
}

// rise moves a variable up after it has become less.
func (h *heap) rise(v uint32) {
	i := int(h.at[v]) - 1
	if i < 0 {
		return
	}
	for i > 0 && h.less(v, h.list[(i-1)/2]) {
		h.put(i, h.list[(i-1)/2])
		i = (i - 1) / 2
	}
	h.put(i, v)
}

func (h *heap) put(i int, v uint32) { h.list[i], h.at[v] = v, int32(i+1) }

// pop removes the first variable.
func (h *heap) pop() (v uint32, ok bool) {
	n := len(h.list) - 1
	if n < 0 {
		return 0, false
	}
	v = h.list[0]
	h.at[v] = 0
	last := h.list[n]
	h.list = h.list[:n]
	if n == 0 {
		return v, true
	}
	i := 0
	for {
		c := 2*i + 1
		if c >= n {
			break
		}
		if c+1 < n && h.less(h.list[c+1], h.list[c]) {
			c++
		}
		if !h.less(h.list[c], last) {
			break
		}
		h.put(i, h.list[c])
		i = c
	}
	h.put(i, last)
	return v, true
}
