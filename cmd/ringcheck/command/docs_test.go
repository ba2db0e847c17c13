package command

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ringcheck/internal/test/filetest"
	"ringcheck/internal/test/testlevel"
)

// A shown is a command on a page, with its output according to the page.
type shown struct {
	place string
	args  []string
	lines []string // nil if the page does not say
}

// seconds matches commands that take seconds, slow those that take minutes or do not end.
var (
	seconds = regexp.MustCompile(`^prove (dkr|examples/le-lann|franklin)`)
	slow    = regexp.MustCompile(`--simulate|--engine symbolic|^view|^step|dkr -n 300|-n 5 -k 2`)
)

// TestDocs runs the commands of the pages whose output is shown ("$ ringcheck …") and compares: … stands for anything,
// and times and sizes may differ. Of all other commands only the flags are parsed.
func TestDocs(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	pages, err := filepath.Glob("../../../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	var list []shown
	for _, page := range append(pages, "../../../README.md") {
		list = append(list, commandsOf(t, page)...)
	}
	files := filesOfDocs(t)
	examples, err := filepath.Abs("../../../examples")
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	if err := os.Symlink(examples, "examples"); err != nil {
		t.Skip(err)
	}
	for name, text := range files {
		filetest.Write(t, name, text)
	}
	ran := 0
	for _, c := range list {
		if strings.HasPrefix(c.place, "README") {
			c.args = swapped(c.args, "lottery.ring", "first.ring")
		}
		command := strings.Join(c.args, " ")
		if c.lines != nil && !slow.MatchString(command) && (testlevel.Gate() || !seconds.MatchString(command)) {
			ran++
			c.run(t)
		} else {
			c.parse(t)
		}
	}
	if ran < 12 {
		t.Errorf("%d commands ran, too few to show anything", ran)
	}
}

// filesOfDocs returns the files that commands of the pages read, by name.
func filesOfDocs(t *testing.T) map[string]string {
	t.Helper()
	page := filetest.Read(t, "../../../docs/language.md")
	readme := filetest.Read(t, "../../../README.md")
	_, lottery, _ := strings.Cut(string(readme), "\n    protocol lottery")
	lottery, _, _ = strings.Cut(lottery, "\n    $ ")
	tutorial := strings.Split(string(page), "```ring\n")
	order, _, _ := strings.Cut(tutorial[5], "```")
	const ring = "param n: 2..9 = 2\ntopology directed ring of n\n"
	again, _, _ := strings.Cut(tutorial[4], "```")
	exchange, _, _ := strings.Cut(tutorial[8], "```")
	mutex, _, _ := strings.Cut(tutorial[9], "```")
	general, _, _ := strings.Cut(tutorial[10], "```")
	return map[string]string{
		"first.ring":    "protocol lottery" + lottery,
		"lottery.ring":  again,
		"order.ring":    order,
		"exchange.ring": exchange,
		"general.ring":  general,
		"mutex.ring":    mutex,
		"once.ring": "protocol once " + ring +
			"event enter\nprocess p = if p = 0 then A else B\nA = enter; B\nB = skip; B\nltl entered = eventually " +
			"enter happens\n",
		"my.ring": "protocol my " + ring +
			"channel fifo\nmessage M\nprocess p = A\nA = send right M; recv left M; A\n\n\ninvariant first = " +
			"size(inbox(0, left)) <= 1\n",
		"x.ring": "protocol x " + ring +
			"process p = A\nA = skip; A\nreachable there = exists p in node: p at A\n",
	}
}

var (
	word      = regexp.MustCompile(`'[^']*'|\S+`)
	inText    = regexp.MustCompile("`ringcheck ([^`…]*)`")
	continued = regexp.MustCompile(` \\\n +`) // a command of several lines
)

// commandsOf returns the commands that a page shows.
func commandsOf(t *testing.T, page string) (list []shown) {
	t.Helper()
	text := filetest.Read(t, page)
	add := func(line string) *shown {
		c := shown{place: filepath.Base(page) + ": " + line}
		line, _, _ = strings.Cut(line, "  ") // what it is for
		for _, w := range word.FindAllString(line, -1) {
			c.args = append(c.args, strings.Trim(w, "'"))
		}
		list = append(list, c)
		return &list[len(list)-1]
	}
	var open *shown // its output is being read
	for line := range strings.Lines(continued.ReplaceAllString(string(text), " ")) {
		code := strings.HasPrefix(line, "    ")
		line = strings.TrimRight(strings.TrimPrefix(line, "    "), "\n")
		command, asked := strings.CutPrefix(strings.TrimLeft(line, " "), "$ ringcheck ")
		switch {
		case code && asked:
			open = add(command)
			open.lines = []string{}
		case !code && line != "":
			open = nil
			for _, m := range inText.FindAllStringSubmatch(line, -1) {
				add(m[1])
			}
		case open != nil:
			open.lines = append(open.lines, line)
		case code && strings.HasPrefix(line, "ringcheck "):
			add(strings.TrimPrefix(line, "ringcheck "))
		}
	}
	return list
}

var (
	measured = regexp.MustCompile(` +[0-9.]+ (s|[KMG]iB)\b`)
	blanks   = regexp.MustCompile(` +`)
)

// essence returns a line without measured values and, unless it is part of a picture, without the blanks that align
// columns.
func essence(line string) string {
	line = strings.TrimSpace(measured.ReplaceAllString(line, ""))
	if strings.ContainsAny(line, "│┃●") {
		return line
	}
	return blanks.ReplaceAllString(line, " ")
}

// swapped returns a list with one word in place of another.
func swapped(list []string, old, new string) []string {
	list = slices.Clone(list)
	for i, w := range list {
		if w == old {
			list[i] = new
		}
	}
	return list
}

// run runs the command and compares what it prints.
func (c *shown) run(t *testing.T) {
	t.Helper()
	var out, stderr bytes.Buffer
	if status := Main(c.args, &out, &stderr); status > statusViolated && stderr.Len() == 0 {
		t.Errorf("%s: status %d", c.place, status)
	}
	var got []string
	for line := range strings.Lines(out.String() + stderr.String()) {
		if line = essence(line); line != "" {
			got = append(got, line)
		}
	}
	all, skip := got, strings.TrimSpace(strings.Join(c.lines, "")) == ""
	for _, want := range c.lines {
		want = essence(want)
		switch {
		case want == "…":
			skip = true
			continue
		case want == "":
			continue
		}
		i := slices.Index(got, want)
		if i < 0 || i > 0 && !skip {
			t.Errorf("%s does not print, or not there: %q\nbut\n%s", c.place, want, strings.Join(all, "\n"))
			return
		}
		got, skip = got[i+1:], false
	}
	if len(got) > 0 && !skip && !strings.HasPrefix(got[0], "ringcheck: ") {
		t.Errorf("%s prints more: %q", c.place, got[0])
	}
}

// parse parses the flags of the command. Words in capitals are placeholders.
func (c *shown) parse(t *testing.T) {
	t.Helper()
	args := slices.Clone(c.args)
	for i, a := range args {
		switch a {
		case "SPEC":
			args[i] = "franklin"
		case "N", "FILE", "COMMAND", "NAME":
			return
		}
	}
	var out, stderr bytes.Buffer
	if status := Main(append(args, "--help"), &out, &stderr); status != statusDone {
		t.Errorf("%s: status %d: %s", c.place, status, &stderr)
	}
}
