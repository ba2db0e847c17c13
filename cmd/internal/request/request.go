// Package request describes a search as data.
package request

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ringcheck"
)

// A Request is a search as data. It is kept with the search, so that another process or machine can resume it.
type Request struct {
	Version    string              `json:"version"` // of ringcheck, with which states are encoded
	Spec       string              `json:"spec"`
	File       string              `json:"file"` // of the spec
	Text       string              `json:"text"`
	Settings   map[string]string   `json:"settings"` // all, as a person gives them
	Reduction  ringcheck.Reduction `json:"reduction"`
	Assume     string              `json:"assumption"` // "none" if nothing is assumed
	Symmetry   ringcheck.Symmetry  `json:"symmetry"`
	Properties []string            `json:"properties,omitempty"` // that are checked
	MaxChannel int                 `json:"max_channel"`
	MaxNat     int64               `json:"max_nat"`
}

// New returns the request for a search of an instance of a spec that checks properties, nil if it checks none.
func New(version string, sys *ringcheck.System, properties []string, search ringcheck.Search) *Request {
	r := &Request{
		Version: version, Spec: sys.Name, File: sys.Spec.File, Text: string(sys.Spec.Text),
		Settings:  make(map[string]string),
		Reduction: search.Reduction, Assume: cmp.Or(search.Assume, "none"), Symmetry: search.Symmetry,
		Properties: properties, MaxChannel: search.MaxChannel, MaxNat: search.MaxNat,
	}
	for _, s := range append(sys.Params(), sys.Options()...) {
		r.Settings[s.Name] = fmt.Sprint(s.Value)
	}
	return r
}

// System returns the system to search.
func (r *Request) System() (*ringcheck.System, error) {
	spec, err := ringcheck.Parse(r.File, []byte(r.Text))
	if err != nil {
		return nil, err
	}
	set := make(ringcheck.Set)
	for name, text := range r.Settings {
		set[name] = text
	}
	return spec.System(set)
}

// Apply copies what the request says of the search.
func (r *Request) Apply(search *ringcheck.Search) {
	search.Reduction, search.Assume, search.Symmetry = r.Reduction, r.Assume, r.Symmetry
	search.MaxChannel, search.MaxNat = r.MaxChannel, r.MaxNat
}

// SHA256 returns the SHA-256 hash of the spec's text in hexadecimal.
func (r *Request) SHA256() string {
	hash := sha256.Sum256([]byte(r.Text))
	return hex.EncodeToString(hash[:])
}

// Differs describes the first difference from another request, such as "has n = 4, not 5"; "" if the requests are
// equal.
func (r *Request) Differs(from *Request) string {
	switch {
	case r.Version != from.Version:
		return fmt.Sprintf("is one of ringcheck %s, and this is %s", r.Version, from.Version)
	case r.Spec != from.Spec:
		return fmt.Sprintf("is of %s, not %s", r.Spec, from.Spec)
	case r.Text != from.Text:
		return "is of another text of " + r.Spec
	}
	all := make(map[string][2]string)
	for name := range r.Settings {
		all[name+" ="] = [2]string{r.Settings[name], from.Settings[name]}
	}
	for flag, values := range map[string][2]any{
		"reduce": {r.Reduction, from.Reduction}, "assume": {r.Assume, from.Assume},
		"symmetry":    {r.Symmetry, from.Symmetry},
		"max-channel": {r.MaxChannel, from.MaxChannel}, "max-nat": {r.MaxNat, from.MaxNat},
		"property": {list(r.Properties), list(from.Properties)},
	} {
		all["--"+flag] = [2]string{fmt.Sprint(values[0]), fmt.Sprint(values[1])}
	}
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if pair := all[name]; pair[0] != pair[1] {
			return fmt.Sprintf("has %s %s, not %s", name, pair[0], pair[1])
		}
	}
	return ""
}

func list(properties []string) string { return cmp.Or(strings.Join(properties, ", "), "none") }
