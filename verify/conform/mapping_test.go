package conform

import (
	"cmp"
	"strings"
	"testing"
)

// TestMapping maps lines that name a process and its neighbour in every way: messages to oneself are dropped, an event
// depends on other fields, args depend on the action, and a line has several events.
func TestMapping(t *testing.T) {
	sys := parse(t, `protocol mapped
topology line of 2
channel fifo
type Role = idle | busy
var x, y: 0..9
var role: Role
message A(x: 0..9), B(x: 0..9, y: 0..9)
event done(x: 0..9)
process p = if p = 0 then S(idle) else R
S(role) = send right A(1); T(busy)
T(role) = when role = busy: send right B(2, 3); done(4); stop
R = recv left A(_); recv left B(x, y); stop
`)
	const text = `{"drop": [{"from": "=to"}, {"level": ["debug", "trace"]}, {"note": "!=word", "word": "b", "other": null}],
"fields": {"p": "node", "do": "op", "message": "kind", "from": "src", "to": "dst",
  "args": {"send A": ["a"], "B": ["b.x", "b.y"], "event": ["result"]}, "after": {"vars": {"role": "role"}}},
"values": {"from": {"1": 0, "2": 1}, "to": {"1": "right", "2": "right"}, "vars.role": {"I": "idle", "B": "busy"}},
"events": [{"if": {"op": "recv"}, "constants": {"from": "left"}}, {"if": {"op": ["send", "post"]}},
  {"if": {"op": "post"}, "constants": {"do": "event", "name": "done"}}]}`
	mapping, err := ReadMapping(strings.NewReader(strings.Replace(text, `{"op": ["send", "post"]}}`,
		`{"op": ["send", "post"]}, "values": {"do": {"send": "send", "post": "send"}}}`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	const sends = `{"node":0,"op":"send","kind":"A","src":1,"dst":2,"a":1,"role":"B"}`
	const posts = `{"node":0,"op":"post","kind":"B","src":1,"dst":2,"b":{"x":2,"y":3},"result":4}`
	for _, test := range []struct {
		log          string
		events, line int
	}{
		{sends + "\n" + posts, 3, 0},
		{sends + "\n" + `{"node":0,"op":"send","kind":"B","src":1,"dst":"1","b":{"x":9}}` + "\n" + posts, 3, 0},
		{sends + "\n" + `{"node":0,"op":"send","level":"debug"}` + "\n" + posts, 3, 0},
		{sends + "\n" + `{"node":0,"op":"send","note":"a","word":"b"}` + "\n" + posts, 3, 0},
		{sends + "\n" + `{"node":0,"op":"send","note":"a","word":"b","other":1,"kind":"A"}`, 2, 2},
		{sends + "\n" + strings.Replace(posts, "3", "4", 1), 3, 2},
		{sends + "\n" + strings.Replace(posts, `"result":4`, `"result":5`, 1), 3, 2},
		{strings.Replace(sends, `"a":1`, `"a":2`, 1), 1, 1},
		{strings.Replace(sends, `"B"`, `"I"`, 1), 1, 1},
		{strings.Replace(sends, `"B"`, `"C"`, 1) + "\n" + posts, 2, 2}, // ignored: the value is not listed
		{sends + "\n" + `{"node":1,"op":"recv","kind":"A","src":1,"dst":2,"a":7}`, 2, 0},
	} {
		r, err := Explain(t.Context(), sys, []*Log{{Reader: strings.NewReader(test.log), Mapping: mapping}}, Options{})
		if err != nil || r.Explained == nil {
			t.Fatalf("%s: %v", test.log, cmp.Or(err, r.Err()))
		}
		if r.Events != test.events || r.Line != test.line {
			t.Errorf("%s: %d events, line %d; want %d, %d", test.log, r.Events, r.Line, test.events, test.line)
		}
	}
}

// TestBadMappingEntries says what is wrong with conditions and entries for several events.
func TestBadMappingEntries(t *testing.T) {
	for _, test := range []struct{ mapping, want string }{
		{`{"fields":{"p":"p"},"drop":1}`, `"drop" must be an object with conditions, or a list of such objects`},
		{`{"fields":{"p":"p"},"drop":[{}]}`, `"drop" must be an object with conditions, or a list of such objects`},
		{`{"fields":{"p":"p"},"if":{"x":1}}`, `"if" belongs in an entry of "events"`},
		{`{"events":[{"drop":{"a":1}}]}`, `"events" and "drop" do not belong in an entry of "events"`},
		{`{"events":[{"fields":{"q":"p"}}]}`, `"q" is not a member of an event: use ` + strings.Join(eventMembers, ", ")},
		{`{"events":[null]}`, `entry 1 of events is null`},
		{`{"fields":{"args":{"send":"x"}}}`, `the path of args must be a string, or a list of strings`},
		{`{"fields":{"p":{"x":"x"}}}`, `the path of p must be a string, or a list of strings`},
		{`{"fields":{"vars":{"x":["x"]}}}`, `the path of vars must be a string, or a list of strings`},
	} {
		if _, err := ReadMapping(strings.NewReader(test.mapping)); err == nil || err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.mapping, err, test.want)
		}
	}
}

// TestStatesAround names the part of a line that is not explained, and what was possible in its place.
func TestStatesAround(t *testing.T) {
	sys := parse(t, `protocol around
topology line of 2
channel fifo
var x: 0..9
message M(x: 0..9)
process p = if p = 0 then S else Wait
S = send right M(5); stop
Wait = recv left M(x); Have(x)
Have(x) = send left M(x); stop
`)
	const sends = `{"p":0,"do":"send"}`
	for _, test := range []struct{ line, part, expected string }{
		{`{"p":1,"do":"recv","before":{"at":"Wait"},"after":{"at":"Have","vars":{"x":5}}}`, "", ""},
		{`{"p":1,"do":"recv","before":{"at":"Have"},"after":{"at":"Have"}}`, "before", `{"p":1,"at":"Wait"}`},
		{`{"p":1,"do":"recv","before":{"at":"Wait"},"after":{"vars":{"x":4}}}`, "after",
			`{"p":1,"at":"Have","vars":{"x":5}}`},
		{`{"p":1,"do":"send","before":{"at":"Wait"},"after":{"vars":{"x":4}}}`, "",
			`{"p":1,"do":"recv","from":"left","message":"M","args":[5]}`},
	} {
		for _, order := range []Order{Total, ByProcess} {
			r := explain(t, sys, Options{Order: order, Observe: []string{"send", "recv"}}, sends, test.line)
			if *r.Explained != (test.expected == "") || r.Part != test.part || r.Events != 2 {
				t.Errorf("%s, order %s: explained %t, part %q, %d events", test.line, order, *r.Explained, r.Part,
					r.Events)
			}
			if *r.Explained {
				continue
			}
			if len(r.Expected) != 1 || r.Expected[0].String() != test.expected || r.EventsExplained != 1 {
				t.Errorf("%s, order %s: expected %v after %d, want %s", test.line, order, r.Expected,
					r.EventsExplained, test.expected)
			}
		}
		monitor, err := New(sys)
		if err != nil {
			t.Fatal(err)
		}
		log := &Log{Reader: strings.NewReader(sends + "\n" + test.line)}
		for line, err := range log.lines() {
			if err != nil {
				t.Fatal(err)
			}
			_ = monitor.Observe(*line.fullEvent())
		}
		if mismatch, is := monitor.Err().(*Mismatch); is != (test.expected != "") || is && mismatch.Part != test.part {
			t.Errorf("%s: the monitor says %v", test.line, monitor.Err())
		}
	}
}
