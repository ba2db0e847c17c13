package cluster_test

import (
	"strings"
	"testing"
)

// TestInfo checks the progress reported for a search, and for none.
func TestInfo(t *testing.T) {
	dir := t.TempDir()
	beamed("explore", "franklin", "-n", "2", "-k", "2", "--dir", dir, "--shards", "2", "--max-states", "1", "-q", "--runner=prism", "--endpoint=")
	status, stdout, stderr := beamed("info", "--dir", dir, "--json")
	if status != 0 || !strings.Contains(stdout, `"spec":"franklin"`) || !strings.Contains(stdout, `"level":0,"frontier":1,"states":1,`) {
		t.Errorf("status %d: %s%s", status, stdout, stderr)
	}
	if status, stdout, _ = beamed("info", "--dir", dir); status != 0 || !strings.Contains(stdout, "not complete: 1 states of level 0 are next") {
		t.Errorf("status %d: %s", status, stdout)
	}
	if status, _, stderr = beamed("info", "--dir", t.TempDir()); status != 2 || !strings.Contains(stderr, "there is no search") {
		t.Errorf("status %d: %s", status, stderr)
	}
}
