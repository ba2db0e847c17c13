package export

import (
	"fmt"
	"math"

	"ringcheck/model/language/ir"
)

// An array is a number, as in package ir: each element, from its least value on, has the same number of bits.

// promelaIndex writes an element of an array.
func promelaIndex(e *ir.Index, parts []string) string {
	t := e.X.Type()
	narrow(t)
	return fmt.Sprintf("((((%s) >> %s) & %d) + %d)", parts[0], shift(t, parts[1]), mask(t), t.Elem.Lo)
}

// promelaUpdate writes an array with another element.
func promelaUpdate(e *ir.Update, parts []string) string {
	t := e.X.Type()
	narrow(t)
	at := shift(t, parts[1])
	return fmt.Sprintf("(((%s) & ~(%d << %s)) | (((%s) - %d) << %s))", parts[0], mask(t), at, parts[2], t.Elem.Lo, at)
}

// promelaFill writes an array of equal elements.
func promelaFill(e *ir.Fill, parts []string) string {
	narrow(e.T)
	ones := int64(0)
	for i := range e.T.Index.Hi - e.T.Index.Lo + 1 {
		ones |= 1 << (i * e.T.Width())
	}
	return fmt.Sprintf("(((%s) - %d) * %d)", parts[0], e.T.Elem.Lo, ones)
}

// narrow refuses an array that does not fit in the numbers of SPIN.
func narrow(t *ir.Type) {
	if t.Hi > math.MaxInt32 {
		refuse("an array of more than 31 bits cannot be exported")
	}
}

// shift writes the number of bits before an element of an array.
func shift(t *ir.Type, index string) string {
	return fmt.Sprintf("(((%s) - %d) * %d)", index, t.Index.Lo, t.Width())
}

// mask returns the bits of an element of an array.
func mask(t *ir.Type) int64 { return 1<<t.Width() - 1 }
