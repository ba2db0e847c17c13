package view

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"

	"ringcheck/model"
	"ringcheck/model/language/replay"
	"ringcheck/model/language/topology"
)

// The JSON form of a trace, which programs, the page of HTML and ReadRecording read.
type (
	jsonTrace struct {
		Property  optional         `json:"property"` // null if the run is not about a property
		Length    int              `json:"length"`
		Title     string           `json:"title"`
		Settings  string           `json:"settings"`
		Finding   string           `json:"finding"`
		Why       []string         `json:"why,omitempty"` // why the property is false in the last state
		Lasso     *model.Lasso     `json:"lasso,omitempty"`
		Topology  string           `json:"topology,omitempty"` // in the words of the spec: directed ring, star
		Ring      bool             `json:"ring"`               // drawn as a ring or a line; otherwise as a complete graph
		Layout    []topology.Point `json:"layout,omitempty"`   // the positions of the processes; absent for a circle
		Channel   string           `json:"channel,omitempty"`  // the keyword of its discipline; absent without channels
		Processes int              `json:"processes"`
		Names     []string         `json:"names,omitempty"`  // of the processes, if they are of several kinds
		Timers    []string         `json:"timers,omitempty"` // variables that count down with every tick
		Roles     []Role           `json:"roles"`
		Links     []Link           `json:"links"`
		Messages  []Message        `json:"messages"`
		Initial   jsonState        `json:"initial"`
		Steps     []jsonStep       `json:"steps"`
		Rows      [][]int          `json:"rows,omitempty"` // of pictures, each with its steps; absent if each step has one
	}
	jsonStep struct {
		Number int `json:"step"`
		*Step
		State jsonState `json:"state"`
	}
	jsonState struct {
		Processes []jsonProcess `json:"processes"`
		Shared    jsonShared    `json:"shared,omitempty"` // by name
		Channels  []jsonChannel `json:"channels"`
	}
	jsonProcess struct {
		State string   `json:"state"` // A2(id=1)
		Name  string   `json:"name"`  // A2
		Vars  jsonVars `json:"vars"`
		Role  string   `json:"role"` // its name; empty without a role
		Exact string   `json:"exact"`
	}
	jsonChannel struct {
		From      int      `json:"from"`
		To        int      `json:"to"`
		Direction string   `json:"direction,omitempty"`
		Messages  []string `json:"messages"` // the oldest first
		IDs       []int    `json:"ids"`
	}
)

// JSON writes the trace as one JSON object on one line. An error comes from w.
//
// "property" is the name of the property, "length" the number of actions; "steps" has an element for each action, with
// "action", the "process" that acts and the "state" after it.
func (t *Trace) JSON(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(t.document())
}

// document returns the JSON form of a trace.
func (t *Trace) document() *jsonTrace {
	d := &jsonTrace{
		Property:  optional(t.Caption.Property),
		Length:    t.Length(),
		Title:     t.Caption.Title,
		Settings:  t.Caption.Settings,
		Finding:   t.Caption.Finding,
		Why:       t.Caption.Why,
		Lasso:     t.Lasso,
		Topology:  t.Topology,
		Ring:      t.Ring,
		Layout:    t.Layout,
		Processes: t.N,
		Names:     t.Names,
		Timers:    t.timers(),
		Roles:     append([]Role{}, t.Roles...),
		Links:     append([]Link{}, t.Links...),
		Messages:  append([]Message{}, t.Messages...),
		Initial:   t.state(&t.Steps[0]),
		Steps:     []jsonStep{},
	}
	if len(t.Links) > 0 {
		d.Channel = t.Channel
	}
	for i := 1; i < len(t.Steps); i++ {
		d.Steps = append(d.Steps, jsonStep{i, &t.Steps[i], t.state(&t.Steps[i])})
	}
	if !t.Selection.Whole() {
		d.Rows = newRows(t).steps
	}
	return d
}

// timers returns the names of the variables that are timers.
func (t *Trace) timers() []string {
	var names []string
	for _, s := range t.Steps {
		for _, p := range s.Processes {
			for _, v := range p.Vars {
				if v.Timer && !slices.Contains(names, v.Name) {
					names = append(names, v.Name)
				}
			}
		}
	}
	return names
}

func choose[T any](cond bool, yes, no T) T {
	if cond {
		return yes
	}
	return no
}

func (t *Trace) state(s *Step) jsonState {
	state := jsonState{Shared: s.Shared, Channels: []jsonChannel{}}
	for _, p := range s.Processes {
		state.Processes = append(state.Processes, jsonProcess{p.String(), p.Name, p.Vars, p.Role.Name, p.Exact})
	}
	for l, serials := range s.Channels {
		link := t.Links[l]
		c := jsonChannel{link.From, link.To, link.Direction, []string{}, []int{}}
		for _, serial := range serials {
			c.Messages = append(c.Messages, t.Message(serial).Text)
			c.IDs = append(c.IDs, serial)
		}
		state.Channels = append(state.Channels, c)
	}
	return state
}

// jsonShared are shared variables, encoded as jsonVars are.
type jsonShared []Var

// MarshalJSON implements json.Marshaler.
func (vars jsonShared) MarshalJSON() ([]byte, error) { return jsonVars(vars).MarshalJSON() }

// UnmarshalJSON implements json.Unmarshaler. The variables have their texts, sorted by name.
func (vars *jsonShared) UnmarshalJSON(data []byte) error {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(data, &values); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		text := string(values[name])
		if s := ""; json.Unmarshal(values[name], &s) == nil {
			text = s
		}
		*vars = append(*vars, Var{Name: name, Text: text})
	}
	return nil
}

// jsonVars are variables, encoded as an object that keeps their order.
type jsonVars []Var

// ReadRecording returns the run that a JSON form of a trace describes. Only "steps" with their "action" are required.
func ReadRecording(data []byte) (*replay.Recording, error) {
	var d jsonTrace
	err := json.Unmarshal(data, &d)
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok { // its text names types of Go
		return nil, fmt.Errorf("%s: a JSON %s is not allowed here", cmp.Or(e.Field, "the file"), e.Value)
	}
	if err != nil {
		return nil, err
	}
	r := &replay.Recording{Initial: d.Initial.exact(), Shared: d.Initial.shared(), Finding: d.Finding, Why: d.Why,
		Lasso: d.Lasso}
	for _, s := range d.Steps {
		recorded := replay.RecordedStep{State: s.State.exact(), Shared: s.State.shared()}
		if s.Step != nil {
			recorded.Label, recorded.Unlogged = s.Action, s.Unlogged
		}
		r.Steps = append(r.Steps, recorded)
	}
	return r, nil
}

// exact returns the exact texts of the local states.
func (s *jsonState) exact() (locals []string) {
	for _, p := range s.Processes {
		locals = append(locals, p.Exact)
	}
	return locals
}

// shared returns the texts of the shared variables, by name; nil if there are none.
func (s *jsonState) shared() map[string]string {
	if len(s.Shared) == 0 {
		return nil
	}
	texts := make(map[string]string)
	for _, v := range s.Shared {
		texts[v.Name] = v.Text
	}
	return texts
}

// UnmarshalJSON implements json.Unmarshaler. It ignores the variables, because a recording has the exact local states.
func (vars *jsonVars) UnmarshalJSON([]byte) error { return nil }

// MarshalJSON implements json.Marshaler.
func (vars jsonVars) MarshalJSON() ([]byte, error) {
	b := []byte{'{'}
	for i, v := range vars {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendQuote(b, v.Name) // names are letters, digits and _
		value, err := json.Marshal(v.Value)
		if err != nil {
			return nil, err
		}
		b = append(append(b, ':'), value...)
	}
	return append(b, '}'), nil
}
