package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// Settings are the values of parameters or options by name, each as a person writes it: "5", "true", "left".
// In JSON they are numbers, booleans and strings.
type Settings map[string]string

// MarshalJSON implements json.Marshaler.
func (s Settings) MarshalJSON() ([]byte, error) {
	plain := make(map[string]any, len(s))
	for name, text := range s {
		plain[name] = plainValue(text)
	}
	return json.Marshal(plain)
}

func plainValue(text string) any {
	if text == "true" || text == "false" {
		return text == "true"
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		return n
	}
	return text
}

// UnmarshalJSON implements json.Unmarshaler.
func (s *Settings) UnmarshalJSON(data []byte) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var plain map[string]any
	if err := d.Decode(&plain); err != nil {
		return err
	}
	*s = make(Settings, len(plain))
	for name, value := range plain {
		switch value := value.(type) {
		case json.Number, bool, string:
			(*s)[name] = fmt.Sprint(value)
		default:
			return fmt.Errorf("the value of %q is not a number, a boolean or a string", name)
		}
	}
	return nil
}
