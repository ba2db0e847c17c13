package table

import (
	"encoding/csv"
	"io"
	"strconv"
)

// counted are the numbers of a row in the CSV format.
var counted = [...]string{"states", "internal_states", "transitions"}

// writeCSV writes all rows of all tables; what is not known is empty.
func writeCSV(w io.Writer, tables []*Table) error {
	out := csv.NewWriter(w)
	header := []string{"table", "n", "k", "strategy", "status"}
	for _, name := range counted {
		header = append(header, "published_"+name, name, name+"_difference")
	}
	header = append(header, "seconds", "transitions_per_second", "bytes")
	if err := out.Write(header); err != nil {
		return err
	}
	for _, t := range tables {
		for _, r := range t.Rows {
			if err := out.Write(r.record(t.Number)); err != nil {
				return err
			}
		}
	}
	out.Flush()
	return out.Error()
}

func (r *Row) record(table int) []string {
	record := []string{strconv.Itoa(table), strconv.Itoa(r.N), strconv.Itoa(r.K), r.Strategy, string(r.Status)}
	for _, name := range counted {
		c := r.cell(name)
		switch {
		case c == nil:
			record = append(record, "", "", "")
		case c.Measured == nil:
			record = append(record, digits(c.Published), "", "")
		default:
			record = append(record, digits(c.Published), digits(*c.Measured), strconv.FormatInt(c.difference(), 10))
		}
	}
	if r.Outcome == nil {
		return append(record, "", "", "")
	}
	o := r.Outcome
	return append(record, strconv.FormatFloat(o.Seconds, 'f', 3, 64), digits(o.TransitionsPerSecond), digits(o.Bytes))
}

func digits[T ~uint64](n T) string { return strconv.FormatUint(uint64(n), 10) }
