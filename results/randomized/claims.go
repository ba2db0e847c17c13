package randomized

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

// A Claim is a sentence of the paper and what was found.
type Claim struct {
	Says, Finding string
	Status        string
	Command       string // that finds it again
}

// statuses are the statuses that a claim can have.
var statuses = []string{"confirmed in these instances", "confirmed in these runs", "refuted by this run",
	"depends on the reading"}

// Claims reads claims from a file with the columns claim, found, status and command.
func Claims(r io.Reader) ([]Claim, error) {
	rows, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	var all []Claim
	for i, row := range rows[1:] {
		if len(row) != 4 || !slices.Contains(statuses, row[2]) || !strings.HasPrefix(row[3], "ringcheck ") &&
			!strings.HasPrefix(row[3], "go test ") {
			return nil, fmt.Errorf("claim %d: expected a claim, findings, a status and a command, not %q", i+1, row)
		}
		all = append(all, Claim{row[0], row[1], row[2], row[3]})
	}
	return all, nil
}

// Table writes claims as a table in Markdown.
func Table(claims []Claim) string {
	var b strings.Builder
	b.WriteString("| claim of the paper | what was found | status | command |\n|---|---|---|---|\n")
	for _, c := range claims {
		fmt.Fprintf(&b, "| %s | %s | %s | `%s` |\n", c.Says, c.Finding, c.Status, c.Command)
	}
	return b.String()
}
