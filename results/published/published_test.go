package published

import (
	"fmt"
	"strings"
	"testing"
)

func TestTables(t *testing.T) {
	tables, err := Tables()
	if err != nil {
		t.Fatal(err)
	}
	rows := []int{9, 15, 12}
	for i, table := range tables {
		if table.Number != i+1 || len(table.Rows) != rows[i] || !strings.Contains(table.Source,
			fmt.Sprintf("Table %d", i+1)) {
			t.Errorf("table %d: number %d, %d rows, source %q", i+1, table.Number, len(table.Rows), table.Source)
		}
		for _, r := range table.Rows {
			if r.States == nil || r.Transitions == nil || (r.Internal != nil) != (r.Strategy == "onthefly") {
				t.Errorf("table %d, n = %d, k = %d, %s lacks a number", i+1, r.N, r.K, r.Strategy)
			}
		}
	}
}

func TestParseErrors(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"n,k\n", "t.csv: expected a comment that names the source, and a line of column names"},
		{"# source", "t.csv: expected a comment that names the source, and a line of column names"},
		{"# source\nn,k\n2", "t.csv: record on line 3: wrong number of fields"},
		{"# source\nn,moons\n2,3", "t.csv: row 1: moons: unknown column"},
		{"# source\nn,states\n2,many", `t.csv: row 1: states: strconv.ParseUint: parsing "many": invalid syntax`},
	} {
		if _, err := parse("t.csv", []byte(test.text)); err == nil || err.Error() != test.want {
			t.Errorf("%q: error %v, want %s", test.text, err, test.want)
		}
	}
}

func ExampleTables() {
	tables, err := Tables()
	if err != nil {
		panic(err)
	}
	for _, r := range tables[0].Rows[:3] {
		fmt.Println(r.N, r.K, *r.States, *r.Transitions)
	}
	// Output:
	// 2 2 657 1368
	// 3 2 15445 43968
	// 4 2 380609 1396512
}
