package command

import (
	"io"

	"ringcheck/results/figure"
)

// plot adds a picture to the formats of a report.
func (r *report) plot(draw func() (*figure.Picture, error)) {
	for _, ending := range figure.Endings {
		r.Other[ending] = func(w io.Writer) error {
			drawn, err := draw()
			if err != nil {
				return err
			}
			return drawn.Writers()[ending](w)
		}
	}
}
