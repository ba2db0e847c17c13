package regress

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// The elements of the JUnit format that the report needs, as CI systems read it.
type (
	testSuites struct {
		XMLName xml.Name  `xml:"testsuites"`
		Suite   testSuite `xml:"testsuite"`
	}
	testSuite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Seconds  string     `xml:"time,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	testCase struct {
		Name    string   `xml:"name,attr"`
		Class   string   `xml:"classname,attr"`
		Seconds string   `xml:"time,attr"`
		Failure *message `xml:"failure"`
		Error   *message `xml:"error"`
		Skipped *message `xml:"skipped"`
	}
	message struct {
		Summary string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// WriteJUnit writes the report as JUnit XML: a difference is a failure, a run that stopped before its end an error.
func (r *Report) WriteJUnit(w io.Writer, name string) error {
	suite := testSuite{
		Name: name, Tests: len(r.Results),
		Failures: r.Count(Differs), Errors: r.Count(Incomplete), Skipped: r.Count(NotRun),
	}
	total := 0.0
	for _, result := range r.Results {
		c := testCase{Name: result.Name, Class: name}
		seconds := 0.0
		if result.Outcome != nil {
			seconds = result.Outcome.Seconds
		}
		c.Seconds = fmt.Sprintf("%.3f", seconds)
		total += seconds
		c.judge(result)
		suite.Cases = append(suite.Cases, c)
	}
	suite.Seconds = fmt.Sprintf("%.3f", total)
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(testSuites{Suite: suite}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

func (c *testCase) judge(r *Result) {
	switch r.Status {
	case Differs:
		var lines []string
		for _, d := range r.Differences {
			lines = append(lines, d.String())
		}
		c.Failure = &message{lines[0], strings.Join(lines, "\n")}
	case Incomplete:
		c.Error = &message{Summary: "incomplete: " + r.Outcome.Stopped}
	case NotRun:
		c.Skipped = &message{Summary: string(NotRun)}
	}
}
