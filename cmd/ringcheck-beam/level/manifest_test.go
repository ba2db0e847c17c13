package level_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"ringcheck/cmd/ringcheck-beam/level"
)

// TestHostileManifests: what is no manifest of the level is damaged, and what could be one says so when it is used.
func TestHostileManifests(t *testing.T) {
	whole := `{"level":1,"level_sizes":[1,2],"stored":3,"words":"AQAB","shards":[{"new":{"name":"00001/00000.new","class":0,"states":2,"bytes":9}}]}`
	dir := t.TempDir()
	name := filepath.Join(dir, "00001", "manifest.json")
	if err := os.Mkdir(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	for text, readable := range map[string]bool{
		whole: true,
		"":    false, "null": false, "[]": false, "{}": false, whole[:60]: false,
		`{"level":2,"level_sizes":[1,2,3],"shards":[{"new":{"states":3}}]}`:  false, // of another level
		`{"level":1,"level_sizes":[2],"shards":[{"new":{"states":2}}]}`:      false, // of too few levels
		`{"level":1,"level_sizes":[1,2],"shards":[{}]}`:                      false, // states, and no file with them
		`{"level":1,"level_sizes":[1,0],"shards":[{"new":{"states":2}}]}`:    false, // the reverse
		`{"level":1,"level_sizes":[1,-2],"shards":[{"new":{"states":2}}]}`:   false,
		`{"level":1,"level_sizes":[1,2],"shards":[{"new":{"states":1e99}}]}`: false,
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		m, err := level.LastManifest(t.Context(), level.Folder(dir))
		if readable != (err == nil) || !readable && !errors.Is(err, level.ErrDamaged) {
			t.Errorf("%s: %v", text, err)
		}
		if err != nil {
			continue
		}
		if err := m.Check(t.Context(), level.Folder(dir)); !errors.Is(err, level.ErrDamaged) {
			t.Errorf("its file is missing: %v", err)
		}
		s, err := level.NewSystem(compiled(t, 2, 2), 1, level.Folder(dir), nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := next(t, s, m); err == nil {
			t.Error("its words do not belong to this system")
		}
	}
}
