package command

import (
	"fmt"
	"strings"

	"ringcheck/model/language/compile"
	"ringcheck/verify"
	"ringcheck/view"
)

// text writes a run for people: what happens in each step, what it changes, and the ring in one line.
func (c *refutation) text(sys *compile.System, run *verify.Run, t *view.Trace) (string, error) {
	p := sys.Protocol()
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\n%s\n\n", title(p.Name, p.Params, p.Options), t.Caption.Finding)
	printer := newPrinter(sys)
	for i := range t.Steps {
		s := &t.Steps[i]
		fmt.Fprintf(&b, "%4d  %s\n", i, s.Text)
		if c.full {
			printer.write(&b, printer.contents(run.Moves[i].State, nil))
			continue
		}
		for process := range s.Processes {
			if i > 0 && t.Steps[i-1].Processes[process].String() != s.Processes[process].String() {
				fmt.Fprintf(&b, "      %d: %s → %s\n", process, t.Steps[i-1].Processes[process], s.Processes[process])
			}
		}
		fmt.Fprintf(&b, "      %s\n", ringLine(t, s))
	}
	lines, err := why(sys, run.Property, run.Moves[len(run.Moves)-1].State)
	if err != nil {
		return "", err
	}
	fmt.Fprintln(&b)
	for _, line := range lines {
		fmt.Fprintln(&b, line)
	}
	return b.String(), nil
}

// ringLine draws a state: the processes in their order, and between two neighbours the messages under way, with
// an arrow in the direction in which they travel. What is behind the last process is on its way to or from
// the first one. In a complete graph the messages follow the processes, with their sender and receiver.
func ringLine(t *view.Trace, s *view.Step) string {
	parts := make([]string, t.N)
	for i, p := range s.Processes {
		parts[i] = fmt.Sprintf("%d:%s", i, p.Name)
	}
	for l, serials := range s.Channels {
		link := &t.Links[l]
		for _, serial := range serials {
			text := t.Message(serial).Text
			switch link.Direction {
			case "right":
				parts[link.From] += " →" + text
			case "left":
				parts[link.To] += " ←" + text
			default:
				parts[t.N-1] += fmt.Sprintf(" %d→%d %s", link.From, link.To, text)
			}
		}
	}
	return strings.Join(parts, "  ")
}
