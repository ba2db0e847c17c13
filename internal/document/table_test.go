package document_test

import (
	"strings"
	"testing"

	"ringcheck/internal/document"
)

func TestTable(t *testing.T) {
	table := &document.Table{Head: []string{"name", "states", "time", "status"}, Align: "lrrl"}
	table.Add("⌈log₂ n⌉", "7", "12 s", "")
	table.Add("b", "1,234,567", "1 s", "a, b")
	bare := &document.Table{Rows: table.Rows}
	var csv strings.Builder
	if err := table.CSV(&csv); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, got, want string }{
		{"text", table.Text(1, 2), `
 name         states  time  status
-----------------------------------
 ⌈log₂ n⌉          7  12 s
 b         1,234,567   1 s  a, b
`},
		{"without a heading", bare.Text(0, 3), `
⌈log₂ n⌉   7           12 s
b          1,234,567   1 s    a, b
`},
		{"Markdown", table.Markdown(), `
| name | states | time | status |
| --- | --: | --: | --- |
| ⌈log₂ n⌉ | 7 | 12 s |  |
| b | 1,234,567 | 1 s | a, b |
`},
		{"CSV", csv.String(), `
name,states,time,status
⌈log₂ n⌉,7,12 s,
b,"1,234,567",1 s,"a, b"
`},
	} {
		if want := c.want[1:]; c.got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", c.name, c.got, want)
		}
	}
}
