package main

import (
	"fmt"
	"slices"
	"strings"
)

// A Bug is a mistake that is planted in the transport or the store. The library itself is not changed.
type Bug string

// The bugs.
const (
	None        Bug = ""
	ForgetsVote Bug = "forgets-vote"  // the store does not know for whom the server voted
	ForgetsTerm Bug = "forgets-term"  // the store has an earlier term after a restart
	GrantsAll   Bug = "grants-all"    // the transport grants every vote, without asking the server
	TurnsNo     Bug = "takes-refusal" // the transport tells a candidate that a refused vote was granted
)

// Bugs lists all bugs.
var Bugs = []Bug{ForgetsVote, ForgetsTerm, GrantsAll, TurnsNo}

func bugNames() (names []string) {
	for _, b := range Bugs {
		names = append(names, string(b))
	}
	return names
}

func bugOf(name string) (Bug, error) {
	if b := Bug(name); b == None || slices.Contains(Bugs, b) {
		return b, nil
	}
	return None, fmt.Errorf("there is no bug %q: use %s", name, strings.Join(bugNames(), ", "))
}
