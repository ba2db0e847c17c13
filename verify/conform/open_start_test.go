package conform

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/loadtest"
	"ringcheck/internal/test/spectest"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/reduce"
)

// TestOpenStart compares verdicts on logs from the middle of random runs with a search that tries all runs from all
// states in which such a log may begin. The log gives all of a state or a part of it.
func TestOpenStart(t *testing.T) {
	count := map[string]int{}
	corpus := spectest.NewCorpus("capacity", "shared")
	for seed, text := range corpus.Specs(specs(), 63) {
		if compareMiddles(t, seed, text, nil, count) {
			corpus.Use(t, text)
		}
	}
	corpus.Check(t)
	capacity := regexp.MustCompile(`of [12](, dropping)?\n`)
	for seed := range uint64(specs() / 6) {
		owned, _ := spectest.Owned(seed, 64)
		compareMiddles(t, seed, capacity.ReplaceAllString(owned, "\n"), nil, count)
	}
	for seed := range uint64(specs() / 3) {
		name, settings, _ := strings.Cut(small[seed%uint64(len(small))], " ")
		set := reduce.Set{}
		for name, value := range spectest.Settings(settings) {
			set[name] = value
		}
		compareMiddles(t, seed, spectest.Source(t, name), set, count)
	}
	t.Log(count)
	for _, kind := range []string{"state given", "state open", "channel open"} {
		for _, verdict := range []string{"explained", "not explained"} {
			if n := count[kind+", "+verdict]; n < specs()/20 {
				t.Errorf("only %d logs with %s are %s", n, kind, verdict)
			}
		}
	}
}

func compareMiddles(t *testing.T, seed uint64, text string, set reduce.Set, count map[string]int) bool {
	t.Helper()
	spec, err := loadtest.Parse("random.ring", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.System(set)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := reduce.Prepare(t.Context(), sys, reduce.Search{})
	if err != nil {
		t.Fatal(err)
	}
	full := prepared.Full
	g := explored(t, full, 1500)
	if g == nil {
		return false
	}
	r := rand.New(rand.NewPCG(seed, 63))
	for range 8 {
		m := middleLog{r: r, graph: g, start: r.IntN(len(g.vectors)), kind: "state given"}
		m.describe()
		from := exploredFrom(t, full, 4000, m.each)
		if from == nil {
			continue
		}
		compareMiddle(t, sys, &m, from, fmt.Sprintf("seed %d\n%s", seed, text), count)
	}
	return true
}

// compareMiddle compares the verdicts on one log in all orders.
func compareMiddle(t *testing.T, sys *reduce.System, m *middleLog, from *space, text string, count map[string]int) {
	t.Helper()
	r, kinds, observe := m.r, map[string]bool{}, []string{}
	for _, v := range verbs() {
		if verb := v.String(); r.IntN(3) > 0 {
			kinds[verb] = true
			observe = append(observe, verb)
		}
	}
	slices.Sort(observe)
	walk := *m.graph
	walk.initial = []int{m.start}
	events := walk.walk(r, 6+r.IntN(16), kinds)
	changed := r.IntN(2) == 0
	if changed {
		events = mutated(r, mutated(r, events, walk.walk(r, 10, kinds)), nil)
	}
	if len(observe) == 0 {
		return
	}
	var lines strings.Builder
	for _, e := range slices.Concat(m.lines, events) {
		fmt.Fprintln(&lines, e)
	}
	text = fmt.Sprintf("%s\nobserving %v, %s\n%s", text, observe, m.kind, lines.String())
	for _, order := range []Order{Total, ByProcess} {
		want := from.explains(events, kinds, order)
		narrow := r.IntN(40) * r.IntN(2)
		opt := Options{Order: order, Observe: observe, Properties: []string{}, AllowEmpty: true, Run: r.IntN(2) == 0,
			allLimit: narrow, hardLimit: narrow * r.IntN(3), checkpointEvents: r.IntN(4), maxTables: r.IntN(2)}
		opt.Run = opt.Run && m.kind != "channel open"
		got, err := Explain(t.Context(), sys, []*Log{{Name: "log", Reader: strings.NewReader(lines.String())}}, opt)
		if m.graph.sys.Protocol().Time.Delay {
			if err == nil {
				t.Fatalf("ages of messages are not known\n%s", text)
			}
			return
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if got.Explained == nil {
			t.Fatalf("%v\n%s", got.Err(), text)
		}
		if !want && m.kind == "channel open" && m.mayExceed(events, kinds) {
			continue
		}
		if *got.Explained != want {
			t.Fatalf("order %s: explained %t, want %t\n%s", order, *got.Explained, want, text)
		}
		if order == Total && !want && (!from.explains(events[:got.Line-len(m.lines)-1], kinds, order) ||
			from.explains(events[:got.Line-len(m.lines)], kinds, order)) {
			t.Fatalf("line %d is not the first wrong one\n%s", got.Line, text)
		}
		verdict := "not explained"
		if want {
			verdict = "explained"
		}
		count[m.kind+", "+verdict]++
	}
}

// A middleLog is the beginning of a log from the middle of a run.
type middleLog struct {
	r        *rand.Rand
	graph    *space
	start    int      // the state in which the run is
	lines    []*Event // that describe it
	kind     string
	states   []LocalState         // by process: what they say; an empty one: nothing
	contents map[int][]ir.Content // by link: what they say
}

// describe sets what the log says of the state.
func (m *middleLog) describe() {
	sys, r := m.graph.sys, m.r
	p, vector := sys.Protocol(), m.graph.vectors[m.start]
	hidden := r.IntN(3)
	for process := range p.N {
		l := sys.Local(vector[sys.SlotOfProcess(process)])
		s := LocalState{At: m.graph.network.pointNames[l.Point.ID], Vars: map[string]any{}}
		for i, v := range l.Point.Live {
			s.Vars[v.Name] = jsonValue(v.Type, l.Env[i])
		}
		if hidden == 1 && r.IntN(2) == 0 {
			m.kind = "state open"
			if r.IntN(4) == 0 {
				s.At = ""
			}
			maps.DeleteFunc(s.Vars, func(string, any) bool { return r.IntN(3) == 0 })
		}
		m.states = append(m.states, s)
		if s.At != "" || len(s.Vars) > 0 {
			m.lines = append(m.lines, &Event{Initial: true, Process: process, At: s.At, Vars: s.Vars})
		}
	}
	m.contents = make(map[int][]ir.Content)
	for link := range p.NumberOfLinks() {
		if hidden == 2 && r.IntN(2) == 0 {
			m.kind = "channel open"
			continue
		}
		list, ends := sys.Contents(vector[sys.SlotOfLink(link)]), p.Link(link)
		m.contents[link] = list
		e := &Event{Initial: true, Process: ends.To, From: m.graph.network.port(ends.In), Messages: []Message{}}
		for i := range list {
			c := list[p.Channel.Index(i, len(list))]
			message := Message{Message: c.Message.Name}
			for i, f := range c.Message.Fields {
				if f.Type.Kind != ir.Absent {
					message.Args = append(message.Args, jsonValue(f.Type, c.Args[i]))
				}
			}
			e.Messages = append(e.Messages, message)
		}
		m.lines = append(m.lines, e)
	}
	if hidden == 2 && r.IntN(3) == 0 { // what no other line gives is empty
		m.lines = append(m.lines, &Event{Initial: true, Messages: []Message{}})
		for link := range p.NumberOfLinks() {
			m.contents[link] = slices.Clone(m.contents[link])
		}
	}
	if len(m.lines) == 0 {
		m.lines = []*Event{{Initial: true}}
	}
	r.Shuffle(len(m.lines), func(i, j int) { m.lines[i], m.lines[j] = m.lines[j], m.lines[i] })
}

// mostUnknown is the largest number of unknown messages that each tries in a channel.
const mostUnknown = 2

// mayExceed reports whether events may be about more unknown messages than each tries.
func (m *middleLog) mayExceed(events []*Event, kinds map[string]bool) bool {
	taken := 0
	for _, e := range events {
		if e.Do == "recv" || e.Do == "lose" || e.Do == "duplicate" || e.Do == "corrupt" {
			taken++
		}
	}
	return taken > mostUnknown || !kinds["recv"]
}

// each yields the states that the log describes, with up to mostUnknown messages in each channel of which it says
// nothing. It ends after too many.
func (m *middleLog) each(yield func(state []model.Value) bool) error {
	sys := m.graph.sys
	p := sys.Protocol()
	s := &step.State{Processes: make([]ir.Local, p.N), Channels: make([][]ir.Content, p.NumberOfLinks())}
	var messages []ir.Content
	for _, message := range p.Messages {
		for c := range message.Contents(nil) {
			messages = append(messages, c)
		}
	}
	var chooseLink func(link int) bool
	chooseLink = func(link int) bool {
		if link == p.NumberOfLinks() {
			return yield(sys.Encode(nil, s))
		}
		list, given := m.contents[link]
		if s.Channels[link] = list; !chooseLink(link + 1) {
			return false
		}
		if given {
			return true
		}
		for _, c := range messages {
			if s.Channels[link] = []ir.Content{c}; !chooseLink(link + 1) {
				return false
			}
			for _, d := range messages {
				s.Channels[link] = []ir.Content{c, d}
				if !p.Channel.Ordered() {
					slices.SortFunc(s.Channels[link], ir.Content.Compare)
				}
				if !chooseLink(link + 1) {
					return false
				}
			}
		}
		return true
	}
	points := compile.ControlPoints(p)
	var chooseProcess func(process int) bool
	chooseProcess = func(process int) bool {
		if process == p.N {
			return chooseLink(0)
		}
		for _, point := range points[process] {
			for env := range valuations(point.Live) {
				l := ir.Local{Point: point, Env: env}
				if !m.fits(process, l) {
					continue
				}
				if s.Processes[process] = l; !chooseProcess(process + 1) {
					return false
				}
			}
		}
		return true
	}
	chooseProcess(0)
	return nil
}

// fits reports whether a process may be in a local state.
func (m *middleLog) fits(process int, l ir.Local) bool {
	said, names := m.states[process], []string{"", m.graph.network.pointNames[l.Point.ID]}
	if l.Point.Equation != nil {
		names = append(names, l.Point.Equation.Name)
	}
	live := 0
	for i, v := range l.Point.Live {
		if value, ok := said.Vars[v.Name]; ok {
			if fmt.Sprint(value) != fmt.Sprint(jsonValue(v.Type, l.Env[i])) {
				return false
			}
			live++
		}
	}
	return live == len(said.Vars) && slices.Contains(names, said.At)
}

// valuations yields all values of variables.
func valuations(vars []*ir.Var) func(yield func(env []int64) bool) {
	return func(yield func(env []int64) bool) {
		env := make([]int64, len(vars))
		var choose func(i int) bool
		choose = func(i int) bool {
			if i == len(vars) {
				return yield(slices.Clone(env))
			}
			for env[i] = range vars[i].Type.Values() {
				if !choose(i + 1) {
					return false
				}
			}
			return true
		}
		choose(0)
	}
}

// TestOpenStartErrors says what is wrong with the beginning of a log from the middle of a run.
func TestOpenStartErrors(t *testing.T) {
	sys := newSystem(t, "chang-roberts", reduce.Set{"n": "3"})
	for _, test := range []struct{ log, want string }{
		{`{"initial":true,"p":0,"do":"send"}`, `"do" does not belong with "initial"`},
		{`{"initial":true,"p":0,"from":"left"}`, `"from" does not belong with "initial"`},
		{`{"initial":true,"at":"Active"}`, `"at" and "vars" without the process "p"`},
		{`{"initial":true,"p":0,"at":"Active","vars":{"id":9}}`, `variable id: 9 is not a value of 1..3`},
		{`{"initial":true,"p":0,"at":"Active","before":{"at":"Active"}}`, `"before" belongs with an action of a process`},
		{`{"messages":[],"p":0,"do":"send"}`, `"messages" belong with "initial"`},
		{`{"initial":true,"messages":[{"message":"Token","args":[1]}]}`,
			`"messages" without the process "p" and its neighbour "from"`},
		{`{"initial":true,"p":0,"from":"left","messages":[{"message":"Token","args":[null]}]}`,
			`the message {"message":"Token","args":[null]} requires its name and all of its args`},
		{`{"initial":true,"p":0,"from":"left","messages":[{}]}`,
			`the message {"message":""} requires its name and all of its args`},
		{`{"p":0,"do":"send"}` + "\n" + `{"initial":true,"p":1}`, `a line with "initial" comes after an event of the run`},
		{`{"p":0,"assign":{"uid":1}}` + "\n" + `{"initial":true,"p":1}`,
			`a log has either "assign" or "initial": only a run from its beginning has assigned values`},
		{`{"initial":true,"p":0,"vars":{"id":1}}` + "\n" + `{"initial":true,"p":0,"vars":{"id":2}}`,
			`process 0 has no such state: at no control point of this name are these variables live`},
		{`{"initial":true,"p":1,"from":0,"messages":[]}` + "\n" +
			`{"initial":true,"p":1,"from":"left","messages":[{"message":"Token","args":[1]}]}`,
			`channel 0→1 (right) has other contents in an earlier line`},
	} {
		log := &Log{Name: "log", Reader: strings.NewReader(test.log)}
		_, err := Explain(t.Context(), sys, []*Log{log}, Options{Observe: []string{"send", "recv"}})
		wrong := (*LineError)(nil)
		if !errors.As(err, &wrong) || wrong.Line != 1+strings.Count(test.log, "\n") || wrong.Err.Error() != test.want {
			t.Errorf("%s: %v, want %s", test.log, err, test.want)
		}
	}
}

// TestNoOpenStart says why a log cannot begin in the middle of a run.
func TestNoOpenStart(t *testing.T) {
	const spec = "protocol p\ntopology complete graph of 2\nevent e\nprocess p = A\nA = e; A\n"
	for addition, want := range map[string]string{
		"channel fifo of 2\nmessage M\n": "where channels have a capacity: their room is not known",
		"shared x: 0..2 = 0\n":           "with shared variables: their values are not known",
	} {
		sys := parse(t, strings.Replace(spec, "event", addition+"event", 1))
		log := &Log{Name: "log", Reader: strings.NewReader(`{"initial":true,"p":0,"at":"A"}`)}
		_, err := Explain(t.Context(), sys, []*Log{log}, Options{Observe: []string{"event"}})
		if wrong := (*LineError)(nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// TestOpenStartOpen asks for more about a state that may have too many values, unless the log says enough.
func TestOpenStartOpen(t *testing.T) {
	sys := parse(t, `protocol large
topology line of 2
channel fifo
var x, y, u, v: 0..299
message M(x: 0..299, y: 0..299)
process a = Take(0, 0)
process b = Give
Give = send left M(1, 2); Give
Take(x, y) = recv right M(u, v); Take(u, v) | send right M(x, y); Take(x, y)
`)
	unclear := func(want string, lines ...string) {
		t.Helper()
		log := &Log{Name: "log", Reader: strings.NewReader(strings.Join(lines, "\n"))}
		_, err := Explain(t.Context(), sys, []*Log{log}, Options{Observe: []string{"send", "recv"}})
		if wrong := (*model.RequestError)(nil); !errors.As(err, &wrong) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v, want %s", lines, err, want)
		}
	}
	unclear(`process 0 may begin in more than 65536 states: give more of "at" and "vars" (x, y) in a line with "initial"`,
		`{"initial":true,"p":1,"at":"Give"}`, `{"p":0,"do":"send"}`)
	const begin = `{"initial":true,"p":0,"vars":{"x":7}}` + "\n" + `{"initial":true,"p":1,"at":"Give"}`
	const receipt = `{"p":0,"do":"recv","message":"M","args":[3,null]}`
	for log, want := range map[string]bool{
		`{"p":0,"do":"send","args":[7,1],"message":"M"}`:                                                   true,
		`{"p":0,"do":"send","args":[8,1],"message":"M"}`:                                                   false,
		receipt + "\n" + `{"p":0,"do":"send","message":"M","args":[3,null]}`:                               true,
		receipt + "\n" + `{"p":0,"do":"send","message":"M","args":[7,null]}`:                               false,
		`{"initial":true,"messages":[]}` + "\n" + receipt:                                                  false,
		`{"initial":true,"p":0,"from":"right","messages":[{"message":"M","args":[3,4]}]}` + "\n" + receipt: true,
	} {
		r := explain(t, sys, Options{Observe: []string{"send", "recv"}}, begin, log)
		if r.Explained == nil || *r.Explained != want {
			t.Errorf("%s: explained %v, error %v; want %t", log, r.Explained, r.Err(), want)
		}
	}
	unclear("a channel may hold too many messages: log each receipt", begin, `{"p":0,"do":"recv"}`)
}

// TestMonitorMiddle follows a program that has been running.
func TestMonitorMiddle(t *testing.T) {
	monitor, err := New(newSystem(t, "chang-roberts", reduce.Set{"n": "3"}))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range []Event{
		{Initial: true, Process: 0, Vars: map[string]any{"id": 3}},
		{Initial: true, Process: 0, From: "left", Messages: []Message{{Message: "Token", Args: []any{2}}}},
		{Process: 0, Do: "recv", Message: "Token", Args: []any{2}},
		{Process: 1, Do: "recv", Message: "Token", Args: []any{3}},
		{Process: 1, Do: "send", Message: "Token", Args: []any{3}},
	} {
		if err := monitor.Observe(e); err != nil {
			t.Fatal(err)
		}
	}
	if s := monitor.Status(); s.Events != 5 || s.Hypotheses == 0 {
		t.Errorf("%d events, %d hypotheses", s.Events, s.Hypotheses)
	}
	wrong := (*Mismatch)(nil)
	err = monitor.Observe(Event{Process: 0, Do: "send", Message: "Token", Args: []any{2}})
	if !errors.As(err, &wrong) || wrong.Number != 6 {
		t.Errorf("a token that process 0 consumes is passed on: %v", err)
	}
}
