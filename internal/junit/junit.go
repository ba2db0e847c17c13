// Package junit writes results in the XML format of JUnit, as CI systems read it.
package junit

import (
	"encoding/xml"
	"fmt"
	"io"
)

// A Suite is one report.
type Suite struct {
	Name    string
	Seconds float64
	Cases   []Case
}

// A Case is the result of one test: it has passed unless one of the messages is there.
type Case struct {
	Class   string
	Name    string
	Seconds float64  // 0: not known
	Failure *Message // what was expected is not so
	Error   *Message // what happened instead of a result
	Skipped *Message
}

// A Message says in a line, and in a text, what became of a test.
type Message struct {
	Summary string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// The elements of the format.
type (
	suites struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   suite    `xml:"testsuite"`
	}
	suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Skipped  int        `xml:"skipped,attr"`
		Seconds  string     `xml:"time,attr"`
		Cases    []testCase `xml:"testcase"`
	}
	testCase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Seconds string   `xml:"time,attr,omitempty"` // absent if not known
		Failure *Message `xml:"failure"`
		Error   *Message `xml:"error"`
		Skipped *Message `xml:"skipped"`
	}
)

// Write writes the report.
func (s *Suite) Write(w io.Writer) error {
	out := suite{Name: s.Name, Tests: len(s.Cases), Seconds: seconds(s.Seconds)}
	for _, c := range s.Cases {
		out.Failures += count(c.Failure)
		out.Errors += count(c.Error)
		out.Skipped += count(c.Skipped)
		took := ""
		if c.Seconds > 0 {
			took = seconds(c.Seconds)
		}
		out.Cases = append(out.Cases, testCase{c.Class, c.Name, took, c.Failure, c.Error, c.Skipped})
	}
	data, err := xml.MarshalIndent(suites{Suite: out}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding results as JUnit XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}

func count(m *Message) int {
	if m == nil {
		return 0
	}
	return 1
}

func seconds(s float64) string { return fmt.Sprintf("%.3f", s) }
