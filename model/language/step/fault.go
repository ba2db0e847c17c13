package step

import (
	"errors"
	"fmt"

	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/syntax"
)

func fault(pos syntax.Pos, format string, args ...any) *model.Fault {
	return &model.Fault{Place: pos.String(), Message: fmt.Sprintf(format, args...)}
}

// failed turns an error of an expression into a fault.
func failed(err error) error {
	var e *ir.Error
	if errors.As(err, &e) {
		return fault(e.Pos, "%s", e.Message)
	}
	return err
}

// Bounded checks a value of type nat against the bound.
func (m *Machine) Bounded(t *ir.Type, value int64, pos syntax.Pos, kind, name string) error {
	if t.Kind != ir.Nat || value <= m.options.MaxNat {
		return nil
	}
	f := fault(pos, "%s %s: %d is beyond the bound of %d for nat", kind, name, value, m.options.MaxNat)
	f.Growth = true
	return f
}

// Blame returns err as a fault of a process.
func Blame(process int, err error) error {
	var f *model.Fault
	if !errors.As(err, &f) {
		return fmt.Errorf("process %d: %w", process, err)
	}
	blamed := *f
	blamed.Process = process
	blamed.Message = fmt.Sprintf("process %d: %s", process, f.Message)
	return &blamed
}

// NoChannel returns the fault of a process that sends, at a place, to a target that it has no channel to.
func (m *Machine) NoChannel(process int, target int64, place string) error {
	return Blame(process, &model.Fault{Place: place, Message: "there is no channel to " + m.protocol.FormatPort(target)})
}

// Overflow returns the fault of a message that is duplicated in a channel that is full.
func (m *Machine) Overflow(link int) error {
	return &model.Fault{
		Process: -1,
		Message: fmt.Sprintf("a duplicate: %s would hold more than %d messages", m.protocol.FormatLink(link), m.options.MaxMessages),
		Growth:  true,
	}
}

// Overfull returns the fault of a process that sends, at a place, into a channel that is full.
func (m *Machine) Overfull(process int, target int64, place string) error {
	link := m.protocol.OutLink(process, target)
	return Blame(process, &model.Fault{
		Place:   place,
		Message: fmt.Sprintf("%s would hold more than %d messages", m.protocol.FormatLink(link), m.options.MaxMessages),
		Growth:  true,
	})
}
