package table

import (
	"fmt"
	"time"
)

// A Summary counts the cells of tables.
type Summary struct {
	Equal     int `json:"equal"`
	Different int `json:"different"`
	// Incomplete are the cells of rows that stopped before their end.
	Incomplete int     `json:"incomplete"`
	NotRun     int     `json:"not_run"`
	Seconds    float64 `json:"seconds"` // the searches took
}

// Summarize counts the cells of tables.
func Summarize(tables []*Table) Summary {
	var s Summary
	for _, t := range tables {
		for _, r := range t.Rows {
			s.add(r)
		}
	}
	return s
}

func (s *Summary) add(r *Row) {
	if r.Outcome != nil {
		s.Seconds += r.Outcome.Seconds
	}
	switch r.Status {
	case NotRun:
		s.NotRun += len(r.Cells)
		return
	case Incomplete:
		s.Incomplete += len(r.Cells)
		return
	}
	for _, c := range r.Cells {
		if c.difference() == 0 {
			s.Equal++
		} else {
			s.Different++
		}
	}
}

// String says it in one line.
func (s Summary) String() string {
	text := fmt.Sprintf("%d of %d cells equal", s.Equal, s.Equal+s.Different+s.Incomplete+s.NotRun)
	for _, part := range []struct {
		count int
		what  string
	}{{s.Different, "different"}, {s.Incomplete, "incomplete"}, {s.NotRun, "not run"}} {
		if part.count > 0 {
			text += fmt.Sprintf(", %d %s", part.count, part.what)
		}
	}
	return fmt.Sprintf("%s; %v", text, seconds(s.Seconds))
}

func seconds(s float64) time.Duration {
	return time.Duration(s * float64(time.Second)).Round(time.Millisecond)
}
