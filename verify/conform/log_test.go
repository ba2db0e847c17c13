package conform

import (
	"bytes"
	"cmp"
	"errors"
	"log/slog"
	"runtime"
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/reduce"
)

// TestBadLines says what is wrong with lines.
func TestBadLines(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	for _, test := range []struct{ log, want string }{
		{`hello`, "it is not a JSON object: invalid character 'h' at start of value"},
		{`{"p":0,"p":1}`, `it is not a JSON object: "p" occurs twice`},
		{`{"p":0,"do":"send","msg":1,"msg":2,"do":"recv"}`, `it is not a JSON object: "do" occurs twice`},
		{`{"p":0,"do":"skip","clock":[1,0,0],"level":1,"level":2,"clock":[2,0,0]}`,
			`it is not a JSON object: "clock" occurs twice`},
		{`{"p":0,"do":"send"} {}`, "it is not a JSON object: invalid character '{' after top-level value"},
		{`{"p":0,"do":"send","args":{}}`, `"args" of an event must be a list`},
		{`{"p":0,"do":"send","run":-1}`, `"run" of an event must be a positive number`},
		{`null`, "it is not a JSON object"},
		{`{"p":99999999999999999999,"do":"send"}`, "there is no process 100000000000000000000: use 0 to 2"},
		{`{"p":0,"do":"send","message":"Token","args":[1e400]}`, `"args/0" is a number out of range`},
		{`{"p":0,"do":"send","message":"` + strings.Repeat(`\u001b`, 99) + `"}`,
			`there is no message "` + strings.Repeat(`\x1b`, 60) + `…": use Token`},
		{`{"p":0,"do":"send","arg":[1]}`, `"arg" is not a member of an event: use ` + strings.Join(eventMembers, ", ")},
		{`{"p":0,"do":"send","` + strings.Repeat("x", 99) + `":1}`,
			`"` + strings.Repeat("x", 60) + `…" is not a member of an event: use ` + strings.Join(eventMembers, ", ")},
		{`{"p":0,"do":"send","message":"Token","args":[4]}`, "field id of Token: 4 is not a value of 1..3"},
		{`{"p":0,"do":"send","from":"left"}`, `"from" does not belong with "send"`},
		{`{"p":0,"do":"send","at":"Active"}`, `"do" does not belong with "at or vars"`},
		{`{"p":0,"at":"Active","message":"Token"}`, `"message" does not belong with "at or vars"`},
		{`{"p":0,"assign":{"uid":1},"vars":{"id":1}}`, `"vars" does not belong with "assign"`},
		{`{"do":"tick","p":0}`, `"p" does not belong with "tick"`},
		{`{"p":0,"do":"skip","clock":[1,2]}`, "the clock has 2 numbers; expected one for each of 3 processes"},
		{`{"p":0,"do":"skip","clock":{"3":1}}`, `there is no process "3": use 0 to 2`},
		{`{"p":0,"do":"skip","clock":[0,1,0]}`, "the clock does not count the events of process 0 itself"},
		{`{"p":1,"do":"skip","clock":[1,1,0]}` + "\n" + `{"p":0,"do":"skip","clock":[1,1,0]}`,
			"the clock has 1 for process 1, and 1 in line 2, which happened before according to the clocks"},
		{`{"p":1,"do":"skip","clock":[1,1,0]}` + "\n" + `{"p":0,"do":"skip","clock":[1,0,1]}` + "\n" +
			`{"p":2,"do":"skip","clock":[0,1,1]}`,
			"the clock has 0 for process 2, and 1 in line 2, which happened before according to the clocks"},
		// Of several errors it is always the same one.
		{`{"p":0,"vars":{"f":1,"e":1,"d":1,"c":1,"b":1,"a":1}}`, `there is no variable "a": use id, i, p`},
		{`{"p":0,"assign":{"f":1,"e":1,"d":1,"c":1,"b":1,"a":1}}`, `there is no assignment "a": use uid`},
		{`{"p":0,"do":"skip","clock":{"8":1,"7":1,"6":1,"5":1,"4":1,"3":1}}`, `there is no process "3": use 0 to 2`},
	} {
		log := &Log{Name: "log", Reader: strings.NewReader(test.log)}
		opt := Options{}
		if strings.Contains(test.log, "clock") {
			opt.Order = ByClock
		}
		_, err := Explain(t.Context(), sys, []*Log{log}, opt)
		if wrong := (*LineError)(nil); !errors.As(err, &wrong) || wrong.Line != 1 || wrong.Err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.log, err, test.want)
		}
	}
}

// TestLargeNumbers tells apart integers that a float64 does not.
func TestLargeNumbers(t *testing.T) {
	spec, err := loadtest.Parse("big.ring", []byte(`protocol big
param n: 2..3
topology directed ring of n
event e(x: 9007199254740990..9007199254740995)
process p = e(9007199254740993); stop
`))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.System(reduce.Set{"n": "2"})
	if err != nil {
		t.Fatal(err)
	}
	mapping, err := ReadMapping(strings.NewReader(`{"fields":{"args":["x"]},"constants":{"p":0,"do":"event","name":"e"}}`))
	if err != nil {
		t.Fatal(err)
	}
	for _, number := range []string{"9007199254740993", "9007199254740994"} {
		for _, log := range []*Log{
			{Reader: strings.NewReader(`{"p":0,"do":"event","name":"e","args":[` + number + `]}`)},
			{Reader: strings.NewReader(`{"x":` + number + `}`), Mapping: mapping},
			{Reader: strings.NewReader(`{"x":{"intValue":"` + number + `"}}`), Mapping: mapping},
		} {
			r, err := Explain(t.Context(), sys, []*Log{log}, Options{})
			if err != nil || *r.Explained != (number == "9007199254740993") {
				t.Errorf("%s: %v", number, cmp.Or(err, r.Err()))
			}
		}
	}
}

// TestUnusedMembers uses only what belongs to an action: one path may lead to the names of messages and of events, and
// a constant may stand for all messages.
func TestUnusedMembers(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "2"})
	const log = `{"p":0,"do":"send","what":"tok","x":2}
{"p":1,"do":"send","what":"tok","x":1}
{"p":1,"do":"recv","what":"tok","x":2}
{"p":1,"do":"event","what":"win"}
`
	for _, rest := range []string{`"values":{"message":{"tok":"Token"},"name":{"win":"leader"}}}`,
		`"values":{"name":{"win":"leader"}},"constants":{"message":"Token","to":"right"}}`} {
		what := `"name":"what",`
		if !strings.Contains(rest, "constants") {
			what += `"message":"what",`
		}
		mapping, err := ReadMapping(strings.NewReader(`{"fields":{"p":"p","do":"do",` + what + `"args":["x"]},` + rest))
		if err != nil {
			t.Fatal(err)
		}
		r, err := Explain(t.Context(), sys, []*Log{{Reader: strings.NewReader(log), Mapping: mapping}}, Options{})
		if err != nil || *r.Explained || r.Line != 4 || r.Events != 4 {
			t.Errorf("%s: %v; want line 4 of 4 not explained", rest, cmp.Or(err, r.Err()))
		}
	}
}

// TestMark passes over the byte order mark that some editors write.
func TestMark(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "2"})
	if r := explain(t, sys, Options{}, "\ufeff"+`{"p":0,"do":"send"}`); !*r.Explained || r.Events != 1 {
		t.Errorf("explained %v, %d events", *r.Explained, r.Events)
	}
	m, err := ReadMapping(strings.NewReader("\ufeff" + `{"fields":{"p":"who"}}`))
	if err != nil || m.Fields["p"] != "who" {
		t.Errorf("mapping %v, error %v", m, err)
	}
}

// TestBadLineBehind finds the line that is not explained before one that is no event of the spec, whatever the order.
func TestBadLineBehind(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	const bad = `{"p":0,"do":"send","message":"Token","args":[4],"clock":[2,0,0]}`
	for i, order := range []Order{Total, ByProcess, ByClock, Total} {
		// The last one looks for one run only.
		opt := Options{Order: order, Observe: []string{"send", "event"}, hardLimit: i / 3}
		r := explain(t, sys, opt, `{"p":0,"do":"event","name":"leader","clock":[1,0,0]}`, bad)
		if *r.Explained || r.Line != 1 {
			t.Errorf("order %s: explained %v, line %d; want 1", order, *r.Explained, r.Line)
		}
		log := &Log{Name: "log", Reader: strings.NewReader(`{"p":0,"do":"send","clock":[1,0,0]}` + "\n" + bad)}
		_, err := Explain(t.Context(), sys, []*Log{log}, opt)
		if wrong := (*LineError)(nil); !errors.As(err, &wrong) || wrong.Line != 2 {
			t.Errorf("order %s: %v, want an error of line 2", order, err)
		}
	}
	// What another process has sent may stand behind that line.
	log := &Log{Name: "log", Reader: strings.NewReader(`{"p":1,"do":"send"}
{"p":1,"do":"recv"}
{"p":0,"do":"sing"}`)}
	_, err := Explain(t.Context(), sys, []*Log{log}, Options{Order: ByProcess})
	if wrong := (*LineError)(nil); !errors.As(err, &wrong) || wrong.Line != 3 {
		t.Errorf("%v, want an error of line 3", err)
	}
}

// TestMappedArgs maps one list of args for all messages: those with fewer fields, and those that are not named, use
// only what belongs to them.
func TestMappedArgs(t *testing.T) {
	sys := parse(t, `protocol two
topology line of 2
channel fifo
var x, y: 0..9
message A(x: 0..9), B(x: 0..9, y: 0..9)
process p = if p = 0 then S else R
S = send right A(1); send right B(2, 3); stop
R = recv left A(_); recv left B(x, y); stop
`)
	mapping, err := ReadMapping(strings.NewReader(`{"fields":{"p":"p","do":"do","message":"m","args":["x","y"]}}`))
	if err != nil {
		t.Fatal(err)
	}
	for log, want := range map[string]bool{
		`{"p":0,"do":"send","m":"A","x":1,"y":7}`: true, // y is of no field
		`{"p":0,"do":"send","m":"A","x":2,"y":7}`: false,
		`{"p":0,"do":"send"}`:                     true,
		`{"p":0,"do":"send"}
{"p":0,"do":"send","m":"B","y":3}`: true,
		`{"p":0,"do":"send"}
{"p":0,"do":"send","m":"B","y":4}`: false,
	} {
		r, err := Explain(t.Context(), sys, []*Log{{Reader: strings.NewReader(log), Mapping: mapping}}, Options{})
		if err != nil || *r.Explained != want {
			t.Errorf("%s: %v; want explained %v", log, cmp.Or(err, r.Err()), want)
		}
	}
}

// TestRuns begins a run at a line with a number, unless the line before it has the same one.
func TestRuns(t *testing.T) {
	sys := parse(t, strings.Replace(pair, "%s", "stop", 1))
	const once, first, second = `{"p":0,"do":"event"}`, `{"p":0,"do":"event","run":1}`, `{"p":0,"do":"event","run":2}`
	for want, logs := range map[int][][]string{
		0: {{once}, {first, second}, {once, second}, {first, second, first}},
		2: {{once, once}, {first, first}, {first, once}},
		3: {{first, second, second}},
	} {
		for _, log := range logs {
			if r := explain(t, sys, Options{}, log...); r.Line != want {
				t.Errorf("%v: line %d is not explained, want %d", log, r.Line, want)
			}
		}
	}
}

// TestManyRuns takes memory, and so time, for each run of a log, and not for all that follow it.
func TestManyRuns(t *testing.T) {
	sys := parse(t, strings.Replace(pair, "%s", "stop", 1))
	allocated := func(runs int) uint64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		log := strings.Repeat("{\"p\":0,\"do\":\"event\",\"run\":1}\n{\"p\":1,\"do\":\"event\"}\n", runs)
		if r := explain(t, sys, Options{}, log); !*r.Explained || r.Events != 2*runs {
			t.Fatalf("explained %v, %d events", *r.Explained, r.Events)
		}
		runtime.ReadMemStats(&after)
		return after.TotalAlloc - before.TotalAlloc
	}
	if few, many := allocated(2_000), allocated(10_000); many > 10*few {
		t.Errorf("%d bytes for 2,000 runs, %d for 10,000", few, many)
	}
}

// TestShared shares the events of lines that say the same at other times or in other runs: a long log has many.
func TestShared(t *testing.T) {
	log := &Log{Reader: strings.NewReader(`{"time":1,"p":0,"do":"send"}
{"time":2,"p":0,"do":"send","clock":[1],"run":2}
{"time":3,"p":0,"do":"recv"}
`)}
	var events []*Event
	var whole []string
	for line, err := range log.lines() {
		if err != nil {
			t.Fatal(err)
		}
		events, whole = append(events, line.Event), append(whole, line.fullEvent().String())
	}
	if len(events) != 3 || events[0] != events[1] || events[1] == events[2] {
		t.Errorf("%v: want the first two to be one", events)
	}
	if want := `{"p":0,"do":"send","clock":[1],"run":2}`; whole[1] != want {
		t.Errorf("line 2 is %s, want %s", whole[1], want)
	}
}

// TestSlogged passes over attributes of a program that have the names of members of package slog. To a mapping they may
// matter.
func TestSlogged(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "2"})
	for _, name := range []string{"time", "level", "msg", "source"} {
		var text bytes.Buffer
		log := slog.New(slog.NewJSONHandler(&text, &slog.HandlerOptions{AddSource: true}))
		log.Info("begins", name, []int{1})
		log.Info("sends", "p", 0, name, 7, "do", "send", "to", "right")
		for _, mapping := range []*Mapping{nil, {Fields: map[string]any{"do": "msg"}}} {
			r, err := Explain(t.Context(), sys, []*Log{{Reader: &text, Mapping: mapping}}, Options{})
			if mapping == nil && (err != nil || !*r.Explained || r.Events != 1) {
				t.Errorf("%s: %v; want one event that is explained", name, cmp.Or(err, r.Err()))
			}
			log.Info("sends", name, 7)
			if mapping != nil && (err == nil || !strings.HasSuffix(err.Error(), "rename the attribute, "+
				"because log/slog writes a member of this name")) {
				t.Errorf("%s: error %v of a mapping", name, err)
			}
		}
	}
}
