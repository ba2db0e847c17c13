package view

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck/internal/test/browsertest"
	"ringcheck/internal/test/filetest"
)

func TestMain(m *testing.M) { os.Exit(browsertest.Main(m)) }

// A browser shows traces.
type browser struct{ *browsertest.Browser }

func openBrowser(t *testing.T) *browser { return &browser{browsertest.Start(t)} }

// open shows a trace in a format and returns the address.
func (b *browser) open(t *testing.T, trace *Trace, format, fragment string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "run."+format)
	filetest.Write(t, file, written(t, trace, format))
	url := "file://" + file
	b.Open(t, url+fragment)
	return url
}

func eval[T any](t *testing.T, b *browser, script string) T {
	t.Helper()
	return browsertest.Eval[T](t, b.Browser, script)
}

// displayed is what the page shows, as a user sees it.
type displayed struct {
	Action    string
	Current   string // the marked item of the list of steps
	Hash      string // the fragment of the address
	Slider    string
	Position  string
	Acting    []string            // the processes that are highlighted
	Processes []string            // the local states: A2(id=1), with * after what is highlighted
	Roles     []string            // by process
	Changes   []string            // below the action
	Channels  map[string][]string // by link, the texts of its messages, by serial number
	Red       []string            // the messages marked as overtaken
	Misplaced []string            // messages over processes, each other or the margins; states outside their box
}

// look is a script that returns the JSON of displayed.
const look = `(() => {
	const text = s => document.querySelector(s).textContent.trim();
	const all = s => [...document.querySelectorAll(s)];
	const star = e => e.textContent.trim() + (e.classList.contains("changed") ? "*" : "");
	const box = e => e.querySelector(".box, rect:not(.halo)").getBoundingClientRect();
	const meet = (a, b) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
	const within = (a, b) => a.left >= b.left && a.right <= b.right && a.top >= b.top && a.bottom <= b.bottom;
	const messages = all("#ring .pill:not(.gone, .lost)");
	const processes = all("#ring .process");
	const channels = {};
	for (const m of messages) {
		(channels[m.dataset.link] ??= []).push([Number(m.dataset.message), m.querySelector(".text").textContent]);
	}
	for (const l in channels) channels[l] = channels[l].sort((a, b) => a[0] - b[0]).map(m => m[1]);
	const picture = document.getElementById("ring").getBoundingClientRect();
	const overflowing = processes.filter(p => [...p.querySelectorAll(".name, .vars")].some(e =>
		e.textContent && !within(e.getBoundingClientRect(), box(p))));
	const misplaced = overflowing.concat(messages.filter((m, i) => !within(box(m), picture)
		|| processes.some(p => meet(box(m), box(p)))
		|| messages.slice(0, i).some(o => meet(box(m), box(o)))));
	return {
		Action: text("#action"),
		Current: text("#steps a[aria-current]"),
		Hash: location.hash,
		Slider: document.getElementById("slider").value,
		Position: text("#position"),
		Acting: all("#ring .process.acting").map(p => p.dataset.process),
		Processes: processes.map(p => {
			const vars = [...p.querySelectorAll(".vars tspan")].map(star);
			return star(p.querySelector(".name")) + (vars.length ? "(" + vars.join(", ") + ")" : "");
		}),
		Roles: processes.map(p => ["plain", "blue", "grey", "amber"].filter(r => p.classList.contains(r)).join()),
		Changes: all("#changes li").map(c => c.textContent),
		Channels: channels,
		Red: messages.filter(m => m.classList.contains("overtaken")).map(m => m.dataset.message),
		Misplaced: misplaced.map(m => m.textContent),
	};
})()`

// expected is what the page should show after step i.
func expected(trace *Trace, i int) displayed {
	s := &trace.Steps[i]
	d := displayed{
		Action:    s.Text,
		Current:   fmt.Sprint(i) + s.Text,
		Hash:      fmt.Sprintf("#%d", i),
		Slider:    fmt.Sprint(i),
		Position:  fmt.Sprintf("%d / %d", i, trace.Length()),
		Acting:    []string{},
		Changes:   []string{},
		Channels:  make(map[string][]string),
		Red:       []string{},
		Misplaced: []string{},
	}
	if s.Process >= 0 {
		d.Acting = []string{fmt.Sprint(s.Process)}
	}
	for p, state := range s.Processes {
		d.Processes = append(d.Processes, starred(s, p, state))
		d.Roles = append(d.Roles, state.Role.Colour)
	}
	dash := func(s optional) string { return choose(s == "", "–", string(s)) }
	for _, c := range s.Changes {
		d.Changes = append(d.Changes, choose(c.Var == "", "", string(c.Var)+": ")+dash(c.From)+" → "+dash(c.To))
	}
	for l, serials := range s.Channels {
		for _, serial := range serials {
			key := fmt.Sprint(l)
			d.Channels[key] = append(d.Channels[key], trace.Message(serial).Text)
		}
	}
	return d
}

// starred returns a local state with a star behind what has changed.
func starred(s *Step, process int, state Process) string {
	star := func(name string) string {
		for _, c := range s.Changes {
			if c.Process == process && string(c.Var) == name {
				return "*"
			}
		}
		return ""
	}
	var vars []string
	for _, v := range state.Vars {
		vars = append(vars, v.Name+"="+v.Text+star(v.Name))
	}
	text := state.Name + star("")
	if len(vars) > 0 {
		text += "(" + strings.Join(vars, ", ") + ")"
	}
	return text
}

// sees checks what the page shows after step i.
func (b *browser) sees(t *testing.T, trace *Trace, i int) {
	t.Helper()
	got := eval[displayed](t, b, look)
	want := expected(trace, i)
	want.Red = got.Red // see TestPageMarksOvertaken
	if a, b := readable(t, got), readable(t, want); a != b {
		t.Fatalf("step %d shows\n%s\nwant\n%s", i, a, b)
	}
}

func readable(t *testing.T, d displayed) string {
	t.Helper()
	b, err := json.MarshalIndent(d, "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
