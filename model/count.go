package model

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// A Count is a number of states or transitions. In JSON it is a number up to 2^53, which every program reads exactly,
// and a decimal string above that.
type Count uint64

// exact is the greatest integer below which a float64 represents every integer.
const exact = 1 << 53

// Comma returns the number with thousands separators.
func (c Count) Comma() string { return humanize.BigComma(new(big.Int).SetUint64(uint64(c))) }

// MarshalJSON implements json.Marshaler.
func (c Count) MarshalJSON() ([]byte, error) {
	text := strconv.FormatUint(uint64(c), 10)
	if c > exact {
		text = `"` + text + `"`
	}
	return []byte(text), nil
}

// UnmarshalJSON accepts both forms.
func (c *Count) UnmarshalJSON(data []byte) error {
	n, err := strconv.ParseUint(strings.Trim(string(data), `"`), 10, 64)
	if err != nil {
		return fmt.Errorf("%s is not a count from 0 to %d", data, uint64(math.MaxUint64))
	}
	*c = Count(n)
	return nil
}

// A Number is a count of any size. In JSON it is written like a Count.
type Number struct{ *big.Int }

// Number returns the count as a number of any size.
func (c Count) Number() Number { return Number{new(big.Int).SetUint64(uint64(c))} }

// Comma returns the number with thousands separators.
func (n Number) Comma() string { return humanize.BigComma(n.Int) }

// MarshalJSON implements json.Marshaler. An unknown number is null.
func (n Number) MarshalJSON() ([]byte, error) {
	switch {
	case n.Int == nil:
		return []byte("null"), nil
	case n.IsUint64():
		return Count(n.Uint64()).MarshalJSON()
	}
	return []byte(`"` + n.String() + `"`), nil
}

// A Real is a number that may be infinite: "inf" in JSON.
type Real float64

// MarshalJSON implements json.Marshaler.
func (r Real) MarshalJSON() ([]byte, error) {
	if math.IsInf(float64(r), 1) {
		return []byte(`"inf"`), nil
	}
	return json.Marshal(float64(r))
}
