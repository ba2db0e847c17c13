package document

import (
	"encoding/xml"
	"fmt"
	"io"
)

// A Suite is one report.
type Suite struct {
	XMLName  xml.Name `xml:"testsuite"`
	Name     string   `xml:"name,attr"`
	Tests    int      `xml:"tests,attr"` // Write counts these four
	Failures int      `xml:"failures,attr"`
	Errors   int      `xml:"errors,attr"`
	Skipped  int      `xml:"skipped,attr"`
	Time     Seconds  `xml:"time,attr"`
	Cases    []Case   `xml:"testcase"`
}

// A Case is the result of one test, which has passed unless it has one of the messages.
type Case struct {
	Class   string   `xml:"classname,attr"`
	Name    string   `xml:"name,attr"`
	Time    Seconds  `xml:"time,attr,omitempty"` // 0: not known
	Failure *Message `xml:"failure"`             // an expectation was not met
	Error   *Message `xml:"error"`               // there is no result
	Skipped *Message `xml:"skipped"`
}

// A Message says in a line, and in a text, what became of a test.
type Message struct {
	Summary string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// Seconds are written with three digits after the decimal point.
type Seconds float64

// MarshalText implements encoding.TextMarshaler.
func (s Seconds) MarshalText() ([]byte, error) { return fmt.Appendf(nil, "%.3f", float64(s)), nil }

// Write writes the suite.
func (s *Suite) Write(w io.Writer) error {
	s.Tests = len(s.Cases)
	for _, c := range s.Cases {
		for to, message := range map[*int]*Message{&s.Failures: c.Failure, &s.Errors: c.Error, &s.Skipped: c.Skipped} {
			if message != nil {
				*to++
			}
		}
	}
	data, err := xml.MarshalIndent(struct {
		XMLName xml.Name `xml:"testsuites"`
		Suite   *Suite
	}{Suite: s}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding results as JUnit XML: %w", err)
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, data)
	return err
}
