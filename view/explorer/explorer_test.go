package explorer

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"time"

	"ringcheck"
	"ringcheck/explore"
	"ringcheck/internal/effort"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/replay"
	"ringcheck/view"
)

// newExplorer returns an explorer of a spec, built in or a text, with settings such as "n=3 k=2".
func newExplorer(t testing.TB, spec, settings string) *Explorer {
	t.Helper()
	set := make(ringcheck.Set)
	for _, s := range strings.Fields(settings) {
		name, value, _ := strings.Cut(s, "=")
		set[name] = value
	}
	open := ringcheck.Open
	if strings.Contains(spec, "\n") {
		open = func(text string) (*ringcheck.Spec, error) { return ringcheck.Parse("test.ring", []byte(text)) }
	}
	text, err := open(spec)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := text.System(set)
	if err != nil {
		t.Fatal(err)
	}
	prepared, err := ringcheck.Prepare(t.Context(), sys, ringcheck.Search{})
	if err != nil {
		t.Fatal(err)
	}
	full := prepared.System.(*compile.System)
	return New(full, text.Text, func(ctx context.Context, goal string) (*compile.System, error) {
		p, err := text.Declarations.Ask(sys.Given, goal)
		if err != nil {
			return nil, err
		}
		return compile.New(ctx, p, compile.Options{})
	})
}

// TestStates goes through all states of a system by their codes, and expects what exploration counts.
func TestStates(t *testing.T) {
	for _, test := range []struct {
		spec, settings      string
		states, transitions int
	}{
		{"franklin", "n=2 k=2", 657, 1368},
		{"chang-roberts", "n=3", 315, 579},
	} {
		x := newExplorer(t, test.spec, test.settings)
		d, err := x.Describe()
		if err != nil {
			t.Fatal(err)
		}
		seen := make(map[string]bool)
		todo := d.Initial
		transitions := 0
		for len(todo) > 0 {
			code := todo[0]
			todo = todo[1:]
			if seen[code] {
				continue
			}
			seen[code] = true
			s, err := x.State(t.Context(), code, nil)
			if err != nil || s.Code != code {
				t.Fatalf("%s: state %s: %v, %v", test.spec, code, s, err)
			}
			for _, m := range s.Moves {
				todo = append(todo, m.Target)
			}
			transitions += len(s.Moves)
		}
		if len(seen) != test.states || transitions != test.transitions {
			t.Errorf("%s: %d states, %d transitions; want %d, %d", test.spec, len(seen), transitions, test.states,
				test.transitions)
		}
		g, err := x.Graph(context.Background(), explore.Options{})
		if err != nil || len(g.Nodes) != test.states || len(g.Edges) != test.transitions {
			t.Errorf("%s: graph: %v", test.spec, err)
		}
		for _, n := range g.Nodes {
			if !seen[n.Code] {
				t.Fatalf("%s: state %s of the graph was not met", test.spec, n.Code)
			}
		}
	}
}

func TestStrangeCodes(t *testing.T) {
	x := newExplorer(t, "franklin", "n=2 k=2")
	for _, code := range []string{"", "A", "AAAA", "!", "AAIAAAACAAAAAgAAAAIAAA", strings.Repeat("A", 1000),
		strings.Repeat("_", 40), "<script>"} {
		if _, err := x.State(t.Context(), code, nil); !errors.Is(err, ErrCode) {
			t.Errorf("%q: %v", code, err)
		}
	}
}

func FuzzState(f *testing.F) {
	x := newExplorer(f, "franklin", "n=2 k=2")
	d, err := x.Describe()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(d.Initial[0], "exists p in node: p at Leader")
	f.Fuzz(func(t *testing.T, code, condition string) {
		x.State(t.Context(), code, []string{condition})
	})
}

func TestConditions(t *testing.T) {
	x := newExplorer(t, "franklin", "n=3 k=2")
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	s, err := x.State(t.Context(), d.Initial[0], []string{
		"exists p in node: p at Leader", "forall p in node: p at A1", "zap", "true) or (false", "leader happens",
		"true)\ninvariant x = (true", "", "p.id = 1", endless, strings.Repeat(" ", longCondition) + "true",
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []string{"false", "true", "unknown name zap", "expected an operator or the end, found \")\"",
		"without events", "expected one line", "expected", "p is known only in the process declaration",
		"it takes too many steps", "expected one line"} {
		c := s.Conditions[i]
		got := c.Error
		if c.Value != nil {
			got = fmt.Sprint(*c.Value)
		}
		if !strings.Contains(got, want) {
			t.Errorf("condition %d: %q, want %q", i, got, want)
		}
	}
	steps, err := x.Seek(context.Background(), d.Initial[0], "exists p in node: p at Leader", explore.Options{})
	if err != nil || len(steps) == 0 {
		t.Fatal(err)
	}
	end := steps[len(steps)-1].State.Code
	_, again, err := x.Origin(context.Background(), end, explore.Options{})
	if err != nil || len(again) > len(steps) {
		t.Errorf("found a run of %d steps although one of %d leads there: %v", len(again), len(steps), err)
	}
	if _, err := x.Seek(context.Background(), end, "false", explore.Options{}); !errors.Is(err, explore.ErrNoPath) {
		t.Errorf("run to an unreachable state: %v", err)
	}
}

// endless is a condition whose value nobody waits for.
const endless = "forall a in 0..999999, b in 0..999999: a + b >= 0"

// TestLimits: a condition ends with its client, in a state and on the way to one, and when it takes too many steps.
func TestLimits(t *testing.T) {
	x := newExplorer(t, "franklin", "n=2 k=2")
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	start := d.Initial[0]
	if _, err := x.State(t.Context(), start, make([]string, manyConditions+1)); err == nil {
		t.Errorf("%d conditions in one request were accepted", manyConditions+1)
	}
	if _, err := x.Seek(t.Context(), start, endless, explore.Options{}); !errors.Is(err, effort.ErrSteps) {
		t.Errorf("run to a condition that takes too long: %v", err)
	}
	x.most = math.MaxInt
	for _, ask := range []func(ctx context.Context) error{
		func(ctx context.Context) error { _, err := x.State(ctx, start, []string{endless}); return err },
		func(ctx context.Context) error { _, err := x.Seek(ctx, start, endless, explore.Options{}); return err },
	} {
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if err := ask(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled condition: %v", err)
		}
	}
}

// TestConditionsDoNotWait: while one condition is compiled another is evaluated.
func TestConditionsDoNotWait(t *testing.T) {
	x := newExplorer(t, "franklin", "n=2 k=2")
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	again := x.withGoal
	ask := func(condition string) {
		s, err := x.State(t.Context(), d.Initial[0], []string{condition})
		if err != nil || s.Conditions[0].Value == nil {
			t.Errorf("%s: %v, %+v", condition, err, s)
		}
	}
	x.withGoal = func(ctx context.Context, text string) (*compile.System, error) {
		x.withGoal = again
		ask("1 = 2")
		return again(ctx, text)
	}
	ask("1 = 1")
}

// TestLeaving: the server ends an evaluation when its client leaves.
func TestLeaving(t *testing.T) {
	x := newExplorer(t, "franklin", "n=2 k=2")
	x.most = math.MaxInt
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	body, err := json.Marshal(question{Code: d.Initial[0], Conditions: []string{endless}})
	if err != nil {
		t.Fatal(err)
	}
	s := NewServer(newSession(x, nil), nil)
	ended := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		s.ServeHTTP(w, r)
	}))
	defer server.Close()
	s.hosts = []string{server.Listener.Addr().String()}
	ctx, leave := context.WithCancel(t.Context())
	again := x.withGoal
	x.withGoal = func(ctx context.Context, text string) (*compile.System, error) {
		leave() // once the question has arrived
		return again(ctx, text)
	}
	r, err := http.NewRequestWithContext(ctx, "POST", server.URL+"/api/state", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := http.DefaultClient.Do(r); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	<-ended
}

// TestImpatience: the server does not wait for the rest of a question for ever, nor for one.
func TestImpatience(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	host := l.Addr().String()
	s := NewServer(newSession(newExplorer(t, "franklin", "n=2 k=2"), nil), []string{host})
	s.timeout = time.Millisecond
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error)
	go func() { served <- s.Serve(ctx, l) }()
	for _, said := range []string{"", "POST /api/state HTTP/1.1\r\nHost: " + host +
		"\r\nContent-Length: 100\r\n\r\n{"} {
		conn, err := net.Dial("tcp", host)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(conn, said); err != nil {
			t.Fatal(err)
		}
		// until the server closes the connection
		if _, err := io.ReadAll(conn); err != nil && !errors.Is(err, syscall.ECONNRESET) {
			t.Error(err)
		}
		conn.Close()
	}
	stop()
	if err := <-served; err != nil {
		t.Error(err)
	}
}

// saved returns the file of a run.
func saved(t testing.TB, x *Explorer, start string, steps []Step) []byte {
	t.Helper()
	var indices []int
	for _, s := range steps {
		indices = append(indices, s.Index)
	}
	var file bytes.Buffer
	if err := x.Save(&file, start, indices, "json"); err != nil {
		t.Fatal(err)
	}
	return file.Bytes()
}

func TestReplay(t *testing.T) {
	x := newExplorer(t, "franklin", "n=3 k=2 bits=false")
	d, err := x.Describe()
	if err != nil {
		t.Fatal(err)
	}
	steps, err := x.Seek(context.Background(), d.Initial[0], "exists p in node: p at Leader", explore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	r, err := view.ReadRecording(saved(t, x, d.Initial[0], steps))
	if err != nil {
		t.Fatal(err)
	}
	start, again, err := x.Replay(t.Context(), r)
	if err != nil || start.Code != d.Initial[0] || len(again) != len(steps) ||
		again[len(again)-1].State.Code != steps[len(steps)-1].State.Code {
		t.Errorf("another run: %d steps, %v", len(again), err)
	}
	r.Steps[2].Unlogged = true
	if _, again, err = x.Replay(t.Context(), r); err != nil || !strings.HasSuffix(again[2].Move.Text, view.Unlogged) {
		t.Errorf("step 3 is %q, %v: that it is in no log is lost", again[2].Move.Text, err)
	}
	r.Steps[3].Label = "send(0,left,<script>)"
	if _, _, err := x.Replay(t.Context(), r); err == nil {
		t.Error("a step that is not enabled was taken")
	}
	if _, _, err := x.Replay(t.Context(), &replay.Recording{}); err == nil {
		t.Error("an empty recording was accepted as a run")
	}
}

// FuzzReplay: a run in a file is taken step by step, or refused; what was taken is the same run when it is saved.
func FuzzReplay(f *testing.F) {
	x := newExplorer(f, "franklin", "n=2 k=2")
	d, err := x.Describe()
	if err != nil {
		f.Fatal(err)
	}
	steps, err := x.Seek(context.Background(), d.Initial[0], "exists p in node: p at Leader", explore.Options{})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(saved(f, x, d.Initial[0], steps))
	f.Add(saved(f, x, d.Initial[len(d.Initial)-1], nil))
	for _, text := range []string{
		"", "null", `{"steps": [{"action": "draw(0,1)"}]}`,
		`{"steps": [{"action": "rand(0,1)", "state": {"processes": [{}]}}]}`,
		fmt.Sprintf(`{"steps": [{"action": %q}], "lasso": {"stem": 0, "cycle": 1}}`, steps[0].Move.Label),
		fmt.Sprintf(`{"steps": [{"action": %q}], "lasso": {"stem": 9223372036854775807, "cycle": -9223372036854775806}}`, steps[0].Move.Label),
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r, err := view.ReadRecording(data)
		if err != nil {
			return
		}
		start, taken, err := x.Replay(t.Context(), r)
		if err != nil {
			return
		}
		if len(taken) != len(r.Steps) {
			t.Errorf("%d steps were taken for %d", len(taken), len(r.Steps))
		}
		again, err := view.ReadRecording(saved(t, x, start.Code, taken))
		if err != nil {
			t.Fatal(err)
		}
		first, steps, err := x.Replay(t.Context(), again)
		if err != nil || first.Code != start.Code || len(steps) != len(taken) {
			t.Fatalf("saved and taken again: %d steps of %d, error %v", len(steps), len(taken), err)
		}
		for i := range taken {
			if steps[i].State.Code != taken[i].State.Code {
				t.Errorf("saved and taken again, step %d leads elsewhere", i+1)
			}
		}
	})
}

func TestServerTrustsItselfOnly(t *testing.T) {
	s := NewServer(newSession(newExplorer(t, "franklin", "n=2 k=2"), nil), []string{"127.0.0.1:7357"})
	for _, test := range []struct {
		host, header, value string
		want                int
	}{
		{"127.0.0.1:7357", "", "", 200},
		{"127.0.0.1:7357", "Origin", "http://127.0.0.1:7357", 200},
		{"127.0.0.1:7357", "Sec-Fetch-Site", "same-origin", 200},
		{"evil.example:7357", "", "", 403},
		{"127.0.0.1", "", "", 403},
		{"127.0.0.1:7357", "Origin", "http://evil.example", 403},
		{"127.0.0.1:7357", "Origin", "null", 403},
		{"127.0.0.1:7357", "Sec-Fetch-Site", "cross-site", 403},
	} {
		for _, path := range []string{"/", "/api/system", "/app.js"} {
			r := httptest.NewRequest("GET", path, nil)
			r.Host = test.host
			if test.header != "" {
				r.Header.Set(test.header, test.value)
			}
			w := httptest.NewRecorder()
			s.ServeHTTP(w, r)
			if w.Code != test.want {
				t.Errorf("%s %+v: %d", path, test, w.Code)
			}
			if csp := w.Header().Get("Content-Security-Policy"); !strings.Contains(csp, "default-src 'none'") ||
				strings.Contains(csp, "unsafe") {
				t.Errorf("policy %q", csp)
			}
		}
	}
	for _, body := range []string{"", "{", `{"code":5}`, `{"zap":1}`, `{"code":"zap"}`, strings.Repeat("[", 100)} {
		r := httptest.NewRequest("POST", "/api/state", strings.NewReader(body))
		r.Host = "127.0.0.1:7357"
		w := httptest.NewRecorder()
		s.ServeHTTP(w, r)
		if w.Code != 400 || !strings.Contains(w.Body.String(), `"error"`) {
			t.Errorf("%q: %d %s", body, w.Code, w.Body)
		}
	}
}

// TestMark passes over the byte order mark with which a request may begin.
func TestMark(t *testing.T) {
	s := NewSession(nil)
	s.Add(map[string]Action{"any": Answering(func(_ context.Context, q *struct{ Code string }) (any, error) {
		return q.Code, nil
	})})
	for _, request := range []string{`{"code":"zap"}`, "\ufeff" + `{"code":"zap"}`} {
		if answer, err := s.Answer(t.Context(), "any", []byte(request)); err != nil || string(answer) != `"zap"` {
			t.Errorf("%q: %s, error %v", request, answer, err)
		}
	}
}

func TestPanic(t *testing.T) {
	s := NewSession(nil)
	s.Add(map[string]Action{"any": func(context.Context, []byte) (any, error) { panic("oh") }})
	if _, err := s.Answer(t.Context(), "any", nil); err == nil || err.Error() != "internal error: oh" {
		t.Errorf("a panic is answered by %v", err)
	}
}

func BenchmarkState(b *testing.B) {
	for _, settings := range []string{"n=4 k=2", "n=100 k=2"} {
		b.Run(settings, func(b *testing.B) {
			x := newExplorer(b, "franklin", settings)
			d, err := x.Describe()
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				if _, err := x.State(b.Context(), d.Initial[0], nil); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
