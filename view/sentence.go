package view

import (
	"cmp"
	"fmt"
	"strings"
)

// sentence describes a step.
func (t *Trace) sentence(s *Step) string {
	if fault := s.Kind.fault(); fault != nil {
		m := t.Message(cmp.Or(s.Before, s.Message))
		l, into := t.Links[m.Link], ""
		if s.Before > 0 {
			into = " to " + t.Message(s.Message).Text
		}
		from, to := t.name(l.From), t.name(l.To)
		return fmt.Sprintf("%s on its way from %s to %s is %s%s", m.Text, from, to, fault.Participle, into)
	}
	switch s.Kind {
	case Send:
		text := fmt.Sprintf("%s sends %s to %s", t.name(s.Process), t.Message(s.Message).Text, t.receiver(s.Message))
		if t.Message(s.Message).Lost > 0 {
			text += ", where there is no room for it"
		}
		return text
	case Receive:
		return fmt.Sprintf("%s receives %s from %s", t.name(s.Process), t.Message(s.Message).Text,
			t.sender(s.Message)) + t.overtaking(s.Message)
	case Event:
		return fmt.Sprintf("%s: %s", t.name(s.Process), s.Action)
	case Crash:
		return fmt.Sprintf("%s crashes", t.name(s.Process))
	case Recover:
		return fmt.Sprintf("%s recovers", t.name(s.Process))
	case Tick:
		return ticks(1)
	case Start, Internal:
	}
	if what, found := strings.CutPrefix(s.Action, "set("); found {
		if parts := strings.SplitN(strings.TrimSuffix(what, ")"), ",", 3); len(parts) == 3 {
			return fmt.Sprintf("%s sets %s to %s", t.name(s.Process), parts[1], parts[2])
		}
	}
	return fmt.Sprintf("%s takes an internal step", t.name(s.Process))
}

// name returns the name of a process: "process 2", or the name of its kind.
func (t *Trace) name(process int) string {
	if process < len(t.Names) {
		return t.Names[process]
	}
	return fmt.Sprintf("process %d", process)
}

// receiver names the receiver of a message, in an undirected ring with the side: in a ring of two processes there are
// two channels in each direction.
func (t *Trace) receiver(serial int) string {
	l := t.Links[t.Message(serial).Link]
	if !t.undirected() {
		return t.name(l.To)
	}
	return fmt.Sprintf("%s on its %s", t.name(l.To), l.Direction)
}

func (t *Trace) sender(serial int) string {
	l := t.Links[t.Message(serial).Link]
	if !t.undirected() {
		return t.name(l.From)
	}
	return fmt.Sprintf("%s on its %s", t.name(l.From), opposite(l.Direction))
}

func (t *Trace) undirected() bool { return t.Ring && len(t.Links) > t.N }

func opposite(direction string) string {
	if direction == "left" {
		return "right"
	}
	return "left"
}

// overtaking names the messages that a received message overtakes; it returns "" if there are none.
func (t *Trace) overtaking(serial int) string {
	overtaken := t.Message(serial).Overtakes
	if len(overtaken) == 0 {
		return ""
	}
	names := make([]string, len(overtaken))
	for i, o := range overtaken {
		names[i] = t.of(o)
	}
	return ", overtaking " + enumerate(names)
}

// enumerate returns "a", "a and b", "a, b and c".
func enumerate(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// Heading returns the title and the settings in one line.
func (c *Caption) Heading() string {
	if c.Settings == "" {
		return c.Title
	}
	return c.Title + ", " + c.Settings
}

// captionLines returns the parts of the caption above the picture.
func (t *Trace) captionLines() []string {
	var lines []string
	for _, s := range []string{t.Caption.Title, t.Caption.Settings} {
		if s != "" {
			lines = append(lines, s)
		}
	}
	if !t.Caption.named() {
		lines = append(lines, "property "+t.Caption.Property)
	}
	if s := t.omissions(); s != "" {
		lines = append(lines, s)
	}
	return lines
}

// named reports whether the property needs no separate line: the finding begins with its name, or there is no property.
func (c *Caption) named() bool { return strings.HasPrefix(c.Finding, c.Property) }

// occurring returns the parts of the legend that the run needs: the roles that occur in it, if there are several, and
// whether a message is overtaken.
func (t *Trace) occurring() (roles []Role, overtaken bool) {
	found := make(map[Role]bool)
	for _, s := range t.Steps {
		for _, p := range s.Processes {
			found[p.Role] = true
		}
	}
	for _, r := range t.Roles {
		if found[r] && len(found) > 1 {
			roles = append(roles, r)
		}
	}
	for _, m := range t.Messages {
		overtaken = overtaken || len(m.OvertakenBy) > 0
	}
	return roles, overtaken
}
