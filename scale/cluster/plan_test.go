package cluster_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPlan: a forecast is what the costs add up to.
func TestPlan(t *testing.T) {
	costs := filepath.Join(t.TempDir(), "costs.json")
	data := `{"about":"a test","seconds_per_transition":1e-6,"seconds_per_visited":1e-8,"seconds_per_block":1e-3,"bytes_per_transition":2,"bytes_per_block":100,"bytes_per_state":3,"visited":0.5,"used":0.5}`
	if err := os.WriteFile(costs, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields("plan franklin -p n=5 -p k=2 --states 1e8 --transitions 4e8 --levels 10 --shards 20 --vcpu 4 --use 0.5 --overhead 2 --level-seconds 3 --json --costs " + costs)
	status, stdout, stderr := beamed(args...)
	var f struct {
		CPU      float64 `json:"cpu_seconds"`
		Hours    float64 `json:"hours"`
		Shuffled float64 `json:"shuffled_bytes"`
		Kept     float64 `json:"kept_bytes"`
	}
	if err := json.Unmarshal([]byte(stdout), &f); status != 0 || err != nil {
		t.Fatalf("status %d: %s%s", status, stdout, stderr)
	}
	// A task expands 2^17 states, and at each of 10 levels one has fewer; half of the blocks are sent. Half of the states are known at a level.
	blocks := 0.5 * 20 * (10 + 1e8/(1<<17))
	cpu := 2 * (400 + 1e-3*min(blocks, 2000) + 5.0)
	for _, c := range []struct{ got, want float64 }{
		{f.CPU, cpu}, {f.Hours, (cpu/2 + 30) / 3600}, {f.Shuffled, 8e8 + 100*min(blocks, 2000)}, {f.Kept, 3e8},
	} {
		if math.Abs(c.got-c.want) > 1e-6*c.want {
			t.Errorf("%+v: %v, want %v", f, c.got, c.want)
		}
	}
	for _, wrong := range []string{"plan franklin -p n=5 -p k=2 --costs " + costs, "plan franklin -p n=5 -p k=2 --states 5 --costs nowhere", "calibrate franklin -p n=3 -p k=2 --shards 0", "calibrate nonesuch"} {
		if status, stdout, stderr := beamed(strings.Fields(wrong)...); status != 2 || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: status %d: %s%s", wrong, status, stdout, stderr)
		}
	}
}

// TestInfo: how far a search has come, and that there is none.
func TestInfo(t *testing.T) {
	dir := t.TempDir()
	beamed("explore", "franklin", "-n", "2", "-k", "2", "--dir", dir, "--shards", "2", "--unroll", "2", "--max-states", "1", "-q", "--runner=prism", "--endpoint=")
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
