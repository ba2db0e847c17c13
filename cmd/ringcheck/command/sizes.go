package command

import (
	"maps"
	"strconv"

	"github.com/spf13/cobra"

	"ringcheck/model/language/check"
)

// sizes are the values of parameters that are searched for the smallest with a violation.
type sizes struct {
	limits map[string]*int // by parameter: --NAME-max
	flags  interface{ Changed(name string) bool }
}

// How many values are searched by default.
const (
	firstValues = 4 // of the first parameter
	otherValues = 2
)

// register adds a flag for each parameter of the spec.
func (s *sizes) register(cmd *cobra.Command, p *protocol) {
	s.limits, s.flags = make(map[string]*int), cmd.Flags()
	for _, param := range p.spec.Params {
		flag := param.Name + "-max"
		if cmd.Flags().Lookup(flag) != nil {
			continue
		}
		limit := new(int)
		cmd.Flags().IntVar(limit, flag, 0, "search values of "+param.Name+" up to `N`")
		p.common.AddFlag(cmd.Flags().Lookup(flag))
		noFiles(cmd, flag)
		s.limits[param.Name] = limit
	}
}

// candidates returns the settings to be searched, in that order.
func (s *sizes) candidates(p *protocol) ([]map[string]string, error) {
	all := []map[string]string{maps.Clone(p.given)}
	for i, param := range p.spec.Params {
		values, err := s.values(&param, p.given[param.Name], i == 0)
		if err != nil {
			return nil, err
		}
		var more []map[string]string
		for _, given := range all {
			if values == nil {
				more = append(more, given)
			}
			for _, v := range values {
				next := maps.Clone(given)
				next[param.Name] = strconv.Itoa(v)
				more = append(more, next)
			}
		}
		all = more
	}
	return all, nil
}

// values returns the values of one parameter; nil if it is not searched.
func (s *sizes) values(param *check.Param, given string, first bool) ([]int, error) {
	flag := param.Name + "-max"
	limited := s.limits[param.Name] != nil && s.flags.Changed(flag)
	if given != "" && !limited {
		return nil, nil
	}
	lo, err := strconv.Atoi(param.Lo)
	if err != nil && !limited {
		return nil, nil // a range that depends on other parameters
	}
	if given != "" {
		if lo, err = strconv.Atoi(given); err != nil {
			return nil, wrongRequestf("--%s: %s = %s is not a number to begin with", flag, param.Name, given)
		}
	} else if err != nil {
		return nil, wrongRequestf("--%s: give %s a value to begin with", flag, param.Name)
	}
	hi := lo + otherValues - 1
	if first {
		hi = lo + firstValues - 1
	}
	if limited {
		hi = *s.limits[param.Name]
	}
	if top, err := strconv.Atoi(param.Hi); err == nil {
		hi = min(hi, top)
	}
	if hi < lo {
		return nil, wrongRequestf("--%s %d: %s begins with %d", flag, hi, param.Name, lo)
	}
	var values []int
	for v := lo; v <= hi; v++ {
		values = append(values, v)
	}
	return values, nil
}
