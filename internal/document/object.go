package document

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Join returns one JSON object with the fields of several values, whose JSON form is an object each. No two of them may
// have a field of the same name.
func Join(values ...any) ([]byte, error) {
	var all [][]byte
	for _, v := range values {
		object, err := json.Marshal(v)
		if err != nil {
			return nil, err
		}
		if len(object) < 2 || object[0] != '{' {
			return nil, fmt.Errorf("%T is not a JSON object", v)
		}
		if fields := object[1 : len(object)-1]; len(fields) > 0 {
			all = append(all, fields)
		}
	}
	return fmt.Appendf(nil, "{%s}", bytes.Join(all, []byte(","))), nil
}
