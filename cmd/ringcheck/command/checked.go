package command

import (
	"encoding/xml"
	"fmt"

	"ringcheck/model/language/compile"
	"ringcheck/model/language/ir"
	"ringcheck/verify"
)

// A checked is what check prints; its JSON form is an interface that programs rely on.
type checked struct {
	Spec                 string            `json:"spec"`
	Params               settings          `json:"params"`
	Options              settings          `json:"options"`
	Reduction            string            `json:"reduction"`
	Symmetry             string            `json:"symmetry"`
	Complete             bool              `json:"complete"`
	Stopped              string            `json:"stopped,omitempty"` // why, if not complete
	Holds                *bool             `json:"holds"`             // null: not known
	Properties           []checkedProperty `json:"properties"`
	States               uint64            `json:"states"`
	Transitions          uint64            `json:"transitions"`
	Deadlocks            uint64            `json:"deadlocks"`
	Levels               int               `json:"levels"`
	StoredStates         uint64            `json:"stored_states"`
	Workers              int               `json:"workers"`
	Seconds              float64           `json:"seconds"` // until all is decided
	TransitionsPerSecond uint64            `json:"transitions_per_second"`
	PeakRSSBytes         uint64            `json:"peak_rss_bytes"`
}

// A checkedProperty is the verdict on one property.
type checkedProperty struct {
	Name  string `json:"name"`
	Kind  string `json:"kind"`
	Doc   string `json:"doc"`
	Holds *bool  `json:"holds"`
	// States is the number of states that violate it; of a reachable one those that satisfy it.
	States uint64 `json:"states"`
	// TraceLength is that of the shortest run to such a state; null if there is none.
	TraceLength *int     `json:"trace_length"`
	Why         []string `json:"why,omitempty"` // what makes it false at the end of that run
	outcome     verify.Outcome
}

func newChecked(sys *compile.System, r *verify.Report, by *reduction) (*checked, error) {
	p, s := sys.Protocol(), r.Search
	c := &checked{
		Spec: p.Name, Params: p.Params, Options: p.Options, Reduction: by.kind, Symmetry: by.symmetry,
		Complete: s.Complete(), Stopped: stopReason(s),
		States: s.States, Transitions: s.Transitions, Deadlocks: s.Deadlocks, Levels: len(s.Levels), StoredStates: s.Stored,
		Workers: s.Workers, Seconds: roundTo(r.Elapsed.Seconds(), 1000),
		TransitionsPerSecond: rate(s.Transitions, s.Elapsed), PeakRSSBytes: peakRSS(),
	}
	if r.Holds() || r.Violated() {
		c.Holds = new(r.Holds())
	}
	for i := range r.Verdicts {
		property, err := newCheckedProperty(sys, &r.Verdicts[i])
		if err != nil {
			return nil, err
		}
		if by.kind != noReduction {
			property.TraceLength = nil // in steps that stand for several
		}
		c.Properties = append(c.Properties, property)
	}
	return c, nil
}

func newCheckedProperty(sys *compile.System, v *verify.Verdict) (checkedProperty, error) {
	p := v.Property
	c := checkedProperty{Name: p.Name, Kind: kindName(p.Kind), Doc: p.Doc, States: v.Count, outcome: v.Outcome}
	if v.Outcome != verify.Unknown {
		c.Holds = new(v.Outcome == verify.Holds)
	}
	if v.State != nil {
		c.TraceLength = &v.Level
	}
	if v.Outcome != verify.Violated {
		return c, nil
	}
	var err error
	c.Why, err = why(sys, p, v.State)
	return c, err
}

func kindName(k ir.PropertyKind) string {
	return [...]string{"invariant", "terminal", "reachable", "recoverable"}[k]
}

// numbers says in words how many states decide.
func (p *checkedProperty) numbers() string {
	what := countOf(p.States, "state")
	if p.Kind == "terminal" {
		what = countOf(p.States, "terminal state")
	}
	switch {
	case p.outcome == verify.Violated && p.TraceLength != nil:
		return fmt.Sprintf("%s, the first after %s", what, countOf(uint64(*p.TraceLength), "step"))
	case p.States > 0:
		return what
	}
	return ""
}

// countOf writes a number with its noun.
func countOf(n uint64, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return comma(n) + " " + noun
}

// The elements of JUnit XML.
type (
	junitSuites struct {
		XMLName xml.Name   `xml:"testsuites"`
		Suite   junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Time     float64     `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		Failure *junitMessage `xml:"failure"`
		Error   *junitMessage `xml:"error"` // unknown
	}
	junitMessage struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes the verdicts to a file. A violated property is a failure, an unknown one an error: a run
// that does not know must not look like one that passes.
func (c *checked) writeJUnit(path string) error {
	suite := junitSuite{Name: title(c.Spec, c.Params, c.Options), Tests: len(c.Properties), Time: c.Seconds}
	for i := range c.Properties {
		p := &c.Properties[i]
		test := junitCase{Class: c.Spec, Name: p.Name}
		switch p.outcome {
		case verify.Violated:
			suite.Failures++
			test.Failure = &junitMessage{Message: "violated: " + p.numbers()}
			for _, line := range p.Why {
				test.Failure.Text += line + "\n"
			}
		case verify.Unknown:
			suite.Errors++
			test.Error = &junitMessage{Message: "unknown: the search is incomplete"}
		}
		suite.Cases = append(suite.Cases, test)
	}
	data, err := xml.MarshalIndent(junitSuites{Suite: suite}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding the verdicts: %w", err)
	}
	return saveFile("--junit", path, append([]byte(xml.Header), append(data, '\n')...))
}
