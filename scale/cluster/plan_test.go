package cluster_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ringcheck"
	"ringcheck/scale/level"
)

// TestPlan: a forecast is what the costs add up to.
func TestPlan(t *testing.T) {
	costs := filepath.Join(t.TempDir(), "costs.json")
	data := `{"about":"a test","seconds_per_generated":1e-6,"seconds_per_known_byte":1e-9,"seconds_per_block":1e-3,
		"bytes_per_sent":{"at_one":2,"falls":0.1},"bytes_per_kept":{"at_one":4,"falls":0.25},"known":0.5,"used":0.5,"level_of_a_state_over_mean":1.5}`
	if err := os.WriteFile(costs, []byte(data), 0o666); err != nil {
		t.Fatal(err)
	}
	args := strings.Fields("plan franklin -p n=2 -p k=2 --states 1048576 --transitions 4194304 --levels 4 --shards 16 --vcpu 4 --use 0.5 --overhead 2 --level-seconds 3 --json --costs " + costs)
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
	sys, err := ringcheck.Load("franklin", ringcheck.Set{"n": 2, "k": 2})
	if err != nil {
		t.Fatal(err)
	}
	p, err := sys.Prepare(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	explore(t, "-n", "2", "-k", "2", "--dir", dir, "--shards", "1", "--unroll", "32")
	small, err := level.LastManifest(t.Context(), level.Folder(dir))
	if err != nil {
		t.Fatal(err)
	}
	// It takes 20 bits to say which state, and a slot says its part. A level of 1.5 * 2^18 states is 3 tasks.
	const states = 1 << 20
	says := 20 / float64(len(p.Searched.Slots()))
	generated := 4 * states * float64(small.Generated) / float64(small.Transitions)
	sent := states + (generated-states)*2/3
	inBlock := 1.5 * (1 << 18) * sent / states / (3 * 16 * 0.5)
	blocks := (4.0 + 8) * 16 * 0.5
	kept := states * 4 * says * math.Pow(states/16, -0.25)
	cpu := 2 * (1e-6*generated + 1e-3*blocks + 1e-9*4*0.5*kept)
	for _, c := range []struct{ got, want float64 }{
		{f.CPU, cpu}, {f.Hours, (cpu/2 + 12) / 3600}, {f.Shuffled, sent * 2 * says * math.Pow(inBlock, -0.1)}, {f.Kept, kept},
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
