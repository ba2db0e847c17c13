package syntax

import "testing"

func TestNearest(t *testing.T) {
	words := []string{"channel", "message", "choose", "param", "id", "bit", "Leader"}
	tests := []struct{ name, want string }{
		{"mesage", "message"},
		{"massege", "message"},
		{"chanel", "channel"},
		{"praam", "param"},
		{"leader", "Leader"},
		{"bti", "bit"},
		{"di", "id"},
		{"x", ""},
		{"chn", ""},
		{"msge", "message"},
		{"identifier", ""},
		{"choose_any", "choose"},
		{"message", ""},
		{"protocol", ""},
		{"", ""},
	}
	for _, test := range tests {
		if got := Nearest(test.name, words); got != test.want {
			t.Errorf("Nearest(%q) = %q, want %q", test.name, got, test.want)
		}
	}
}

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "ab", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"é", "e", 1},
	}
	for _, test := range tests {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", test.a, test.b, got, test.want)
		}
		if got := editDistance(test.b, test.a); got != test.want {
			t.Errorf("editDistance(%q, %q) = %d, want %d", test.b, test.a, got, test.want)
		}
	}
}
