package document_test

import (
	"bytes"
	"io"
	"testing"

	"ringcheck/internal/document"
)

func TestDocument(t *testing.T) {
	csv := func(w io.Writer) error {
		_, err := io.WriteString(w, "the other\n")
		return err
	}
	d := &document.Document{Data: map[string]int{"states": 12}, Other: map[string]func(io.Writer) error{".csv": csv}}
	d.Heading("first | second")
	d.Table(&document.Table{Head: []string{"free_states", "b"}, Rows: [][]string{{"1", "<2>"}}}, 1, 2)
	d.Gap()
	d.Gap()
	d.Line("%d lines", 2)
	d.Line("of one block")
	d.Row("states", "12")
	d.Row("time", "0.5", "s")
	d.Line("above")
	d.Table(&document.Table{Head: []string{"c"}, Rows: [][]string{{"x"}}}, 2, 1)
	for ending, want := range map[string]string{
		"": `first | second

 free states  b
------------------
 1            <2>

2 lines
of one block

  states   12
  time    0.5 s

above
  c
-----
  x
`,
		".md": `### first \| second

| free states | b |
| --- | --- |
| 1 | &lt;2> |

2 lines

of one block

above

| c |
| --- |
| x |
`,
		".json": "{\"states\":12}\n",
		".csv":  "the other\n",
	} {
		var got bytes.Buffer
		if err := d.Write(&got, ending); err != nil || got.String() != want {
			t.Errorf("%q: error %v,\n%s\nwant\n%s", ending, err, &got, want)
		}
	}
}
