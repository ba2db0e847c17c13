package exchange

import (
	"encoding/json"
	"fmt"
	"strings"
)

// A umbIndex is the file index.json of the UMB format, as far as we use it.
type umbIndex struct {
	Version  uint32 `json:"format-version"`
	Revision uint32 `json:"format-revision"`
	FileData *struct {
		Tool string `json:"tool"`
	} `json:"file-data,omitempty"`
	System      umbSystem                           `json:"transition-system"`
	Annotations map[string]map[string]umbAnnotation `json:"annotations,omitempty"`
}

// A umbSystem says what kind of process the file holds and how large it is.
type umbSystem struct {
	Time          string   `json:"time"`
	Players       uint64   `json:"#players"`
	States        uint64   `json:"#states"`
	Initial       uint64   `json:"#initial-states"`
	Choices       uint64   `json:"#choices"`
	ChoiceActions uint64   `json:"#choice-actions"`
	Branches      uint64   `json:"#branches"`
	BranchActions uint64   `json:"#branch-actions"`
	Observations  uint64   `json:"#observations"`
	Probability   *umbType `json:"branch-probability-type,omitempty"`
}

// A umbType is how values are stored. Size is in bits, 0 for the default.
type umbType struct {
	Type string `json:"type"`
	Size uint64 `json:"size,omitempty"`
}

// A umbAnnotation is a label (in the group "aps") or a reward ("rewards").
type umbAnnotation struct {
	Alias     string   `json:"alias,omitempty"`
	AppliesTo []string `json:"applies-to"`
	Type      umbType  `json:"type"`
}

// Limits of what we read.
const (
	maxStates   = 1<<32 - 2
	maxBranches = 1<<32 - 1
	maxIndex    = 16 << 20
	maxRational = 1 << 12 // bits
)

// parseIndex reads and checks an index.
func parseIndex(data []byte) (*umbIndex, error) {
	x := new(umbIndex)
	if err := json.Unmarshal(data, x); err != nil {
		return nil, fmt.Errorf("index.json: %w", err)
	}
	s := &x.System
	switch {
	case x.Version != 1:
		return nil, fmt.Errorf("index.json: version %d of the format is not known, 1 is", x.Version)
	case s.Time != "discrete" || s.Players > 1:
		return nil, fmt.Errorf("index.json: want a Markov chain or decision process in discrete time, not time %q with %d players", s.Time, s.Players)
	case s.Observations != 0:
		return nil, fmt.Errorf("index.json: processes that are observed in part are not known")
	case s.States == 0 || s.States > maxStates || s.Branches > maxBranches || s.Choices > s.Branches || s.Initial > s.States:
		return nil, fmt.Errorf("index.json: %d states, %d of them initial, %d choices and %d branches are not possible", s.States, s.Initial, s.Choices, s.Branches)
	case s.Probability == nil:
		return nil, fmt.Errorf("index.json: there is no branch-probability-type: this is no probabilistic process")
	}
	if _, err := s.Probability.bytes(); err != nil {
		return nil, err
	}
	for group, list := range x.Annotations {
		for name, a := range list {
			if group != "rewards" && group != "aps" {
				continue
			}
			if err := a.check(group); err != nil {
				return nil, fmt.Errorf("index.json: %s %s: %w", group, name, err)
			}
		}
	}
	return x, nil
}

func (a *umbAnnotation) check(group string) error {
	for _, to := range a.AppliesTo {
		if group == "aps" && to != "states" || to != "states" && to != "choices" && to != "branches" {
			return fmt.Errorf("it cannot apply to %q", to)
		}
	}
	if group == "aps" {
		if a.Type.Type != "bool" {
			return fmt.Errorf("want type bool, not %q", a.Type.Type)
		}
		return nil
	}
	_, err := a.Type.bytes()
	return err
}

// bytes returns the size of a number.
func (t *umbType) bytes() (int, error) {
	switch {
	case t.Type == "double" && (t.Size == 0 || t.Size == 64):
		return 8, nil
	case t.Type == "rational" && t.Size == 0:
		return 16, nil
	case t.Type == "rational" && t.Size%128 == 0 && t.Size <= maxRational:
		return int(t.Size / 8), nil
	}
	return 0, fmt.Errorf("index.json: numbers of type %q with %d bits are not known; double and rational are", t.Type, t.Size)
}

// identifier returns a name in the characters that file names may have in the format.
func identifier(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', '0' <= r && r <= '9', r == '_', r == '-':
			return r
		case 'A' <= r && r <= 'Z':
			return r - 'A' + 'a'
		}
		return '_'
	}, name)
}
