package ir

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ringcheck/model/language/syntax"
)

// FormatFields returns an event or message for people: its name, and in parentheses the values of those
// fields that are not absent.
func FormatFields(name string, fields []Field, args []int64) string {
	var parts []string
	for i, f := range fields {
		if f.Type.Kind != Absent {
			parts = append(parts, f.Type.Format(args[i]))
		}
	}
	return inParentheses(name, parts, ",")
}

func inParentheses(name string, parts []string, comma string) string {
	if len(parts) == 0 {
		return name
	}
	return name + "(" + strings.Join(parts, comma) + ")"
}

// String returns the message for people: M(1,1,true).
func (c Content) String() string { return FormatFields(c.Message.Name, c.Message.Fields, c.Args) }

// Compare orders messages by kind, then by their fields from left to right, older ones first.
func (c Content) Compare(d Content) int {
	return cmp.Or(cmp.Compare(c.Message.ID, d.Message.ID), slices.Compare(c.Args, d.Args), cmp.Compare(d.Age, c.Age))
}

// ProcessName returns how a process is called: process 3, coordinator, worker 3.
func (p *Protocol) ProcessName(process int) string {
	for _, k := range p.Kinds {
		switch {
		case process < k.First || process > k.Last:
		case k.Indexed:
			return fmt.Sprintf("%s %d", k.Name, process)
		default:
			return k.Name
		}
	}
	return fmt.Sprintf("process %d", process)
}

// FormatPort returns the target or source of a link for people: a direction, or a process number.
func (p *Protocol) FormatPort(port int64) string {
	if p.Naming == ByDirection {
		return p.DirType().Format(port)
	}
	return strconv.FormatInt(port, 10)
}

// FormatLink returns how the channel Links[link] is called: by its ends and, where there is one, the direction in which
// it is sent to, since in a ring two processes have two channels each way.
func (p *Protocol) FormatLink(link int) string {
	l := p.Link(link)
	if p.Naming != ByDirection {
		return fmt.Sprintf("channel %d→%d", l.From, l.To)
	}
	return fmt.Sprintf("channel %d→%d (%s)", l.From, l.To, p.FormatPort(l.Out))
}

// FormatContents returns what is in a channel for people: {M(1,1,true)×2, M(2,1,false)}, where ×2 says how
// often a message is there, or <M(1,1,true), M(2,1,false)> for a queue, its head first. Equal messages of a
// multiset are adjacent in list.
func (p *Protocol) FormatContents(list []Content) string {
	var parts []string
	if p.Channel == FIFO {
		for _, c := range list {
			parts = append(parts, p.formatAged(c))
		}
		return "<" + strings.Join(parts, ", ") + ">"
	}
	for i := 0; i < len(list); {
		first := i
		for i++; i < len(list) && list[i].Compare(list[first]) == 0; i++ {
		}
		part := p.formatAged(list[first])
		if n := i - first; n > 1 {
			part += fmt.Sprintf("×%d", n)
		}
		parts = append(parts, part)
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// formatAged returns a message with its age, if messages have one.
func (p *Protocol) formatAged(c Content) string {
	if !p.Time.Delay {
		return c.String()
	}
	return fmt.Sprintf("%s@%d", c, c.Age)
}

// FormatLocal returns the local state for people, where name is how its point is called:
// A2(id=1, bit=true).
func FormatLocal(name string, l Local) string {
	var parts []string
	for i, v := range l.Point.Live {
		if v.Type.Kind != Absent {
			parts = append(parts, v.Name+"="+v.Type.Format(l.Env[i]))
		}
	}
	return inParentheses(name, parts, ", ")
}

// PointNames returns how the control points are called, by ID: A2 is the start of an equation, A2:23 the
// place in its text on line 23, A2:23:7 if there are several on that line. In a process declaration the
// name is "process", or that of the kind of process.
func (p *Protocol) PointNames() []string {
	type line struct {
		text   string
		number int
	}
	points := make(map[line]int)
	for _, pt := range p.Points {
		if !pt.Start {
			points[line{pt.text(), pt.Pos.Line}]++
		}
	}
	names := make([]string, len(p.Points))
	for i, pt := range p.Points {
		names[i] = pt.text()
		if !pt.Start {
			names[i] += lineSuffix(pt.Pos, points[line{names[i], pt.Pos.Line}] > 1)
		}
	}
	return names
}

// text names the text that holds the point.
func (p *Point) text() string {
	switch {
	case p.Equation != nil:
		return p.Equation.Name
	case p.Kind != nil:
		return p.Kind.Name
	}
	return "process"
}

func lineSuffix(pos syntax.Pos, column bool) string {
	if column {
		return fmt.Sprintf(":%d:%d", pos.Line, pos.Column)
	}
	return fmt.Sprintf(":%d", pos.Line)
}
