package command

import (
	"slices"
	"testing"
)

func TestPatternsMatch(t *testing.T) {
	for _, test := range []struct {
		patterns, label string
		want            bool
	}{
		{"leader", "leader", true},
		{"leader", "leaders", false},
		{"recv", "recv(0,left,M(1,2,true))", true},
		{"recv(0,*)", "recv(0,left,M(1,2,true))", true},
		{"recv(0,*)", "recv(10,left,M(1,2,true))", false},
		{"recv(*,left,*true))", "recv(10,left,M(1,2,true))", true},
		{"recv(*,left,*true))", "recv(10,right,M(1,2,true))", false},
		{"r*v", "recv(0,left,M(1,2,true))", true}, // the name
		{"*", "", true},
		{"**", "x", true},
		{"a*a", "a", false},
		{"a*ab*b", "aabb", true},
		{"a*b", "acbc", false},
		{"[a", "[a", true}, // nothing but * is special
		{"leader,send(1,*)", "send(1,right)", true},
		{"leader , send(1,*)", "leader", true},
		{"leader,send(1,*)", "1", false},
	} {
		var p patterns
		if err := p.set(test.patterns); err != nil {
			t.Fatal(err)
		}
		if got := p.match(test.label); got != test.want {
			t.Errorf("%q matches %q: %v", test.patterns, test.label, got)
		}
	}
}

func TestVisibilityShows(t *testing.T) {
	for _, test := range []struct {
		show, hide string
		want       []bool // of leader (shown by default), send(0), recv(0)
	}{
		{"", "", []bool{true, false, false}},
		{"", "leader", []bool{false, false, false}},
		{"send", "", []bool{false, true, false}},
		{"*", "recv", []bool{true, true, false}},
	} {
		var v visibility
		for text, p := range map[string]*patterns{test.show: &v.show, test.hide: &v.hide} {
			if text != "" {
				p.set(text)
			}
		}
		var got []bool
		for i, label := range []string{"leader", "send(0)", "recv(0)"} {
			got = append(got, v.shows(label, i == 0))
		}
		if !slices.Equal(got, test.want) {
			t.Errorf("--visible %q --hide %q: %v", test.show, test.hide, got)
		}
		if unused := v.unusedPatterns(); len(unused) > 0 {
			t.Errorf("--visible %q --hide %q: unused %q", test.show, test.hide, unused)
		}
	}
}
