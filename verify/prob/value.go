package prob

import "ringcheck/model"

// A Value is a probability or an expected reward, which is between Low and High. Exact is the value as a fraction, if
// it is known.
type Value struct {
	Low   model.Real `json:"low"`
	High  model.Real `json:"high"`
	Exact string     `json:"exact,omitempty"`
}

// Value returns i for reports.
func (i Interval) Value() Value {
	v := Value{Low: model.Real(i.Low), High: model.Real(i.High)}
	if i.Exact != nil {
		v.Exact = i.Exact.RatString()
	}
	return v
}
