package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"

	"github.com/dustin/go-humanize"
	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/internal/printable"
	"ringcheck/internal/tabular"
	"ringcheck/scale/level"
)

// An account is the output of info.
type account struct {
	Spec          string            `json:"spec"`
	Settings      map[string]string `json:"settings"`
	Shards        int               `json:"shards"`
	Complete      bool              `json:"complete"`
	Fault         string            `json:"fault,omitempty"`
	Level         int               `json:"level"`
	Frontier      ringcheck.Count   `json:"frontier"`
	States        ringcheck.Count   `json:"states"`
	Transitions   ringcheck.Count   `json:"transitions"`
	Generated     ringcheck.Count   `json:"generated"`
	ShuffledBytes ringcheck.Count   `json:"shuffled_bytes"`
	KeptBytes     ringcheck.Count   `json:"kept_bytes"`
	WrittenBytes  ringcheck.Count   `json:"written_bytes"`
}

// infoCommand returns the command that reports the progress of a search.
func infoCommand() *cobra.Command {
	var dir string
	var asJSON bool
	cmd := &cobra.Command{
		Use:     "info --dir DIR",
		Short:   "Say what is searched in a folder, and how far that has come",
		Example: "  ringcheck-beam info --dir run42",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			files, err := Open(dir)
			if err != nil || dir == "" {
				return refuse("dir", dir, "want a folder, gs://BUCKET/PATH or s3://BUCKET/PATH")
			}
			job, err := level.ReadJob(cmd.Context(), files)
			if errors.Is(err, fs.ErrNotExist) {
				return refuse("dir", dir, "there is no search")
			}
			var m *level.Manifest
			if err == nil {
				m, err = level.LastManifest(cmd.Context(), files)
			}
			if err != nil {
				return refuse("dir", dir, "%w", err)
			}
			if m == nil {
				return refuse("dir", dir, "the search has not begun")
			}
			a := accountOf(job, m)
			if asJSON {
				return json.NewEncoder(cmd.OutOrStdout()).Encode(a)
			}
			_, err = fmt.Fprint(cmd.OutOrStdout(), printable.Lines(a.text()))
			return err
		},
	}
	cmd.Flags().StringVar(&dir, "dir", "", "the `DIR` of the search")
	cmd.Flags().BoolVar(&asJSON, "json", false, "write one JSON object")
	return cmd
}

func accountOf(job *level.Job, m *level.Manifest) *account {
	a := &account{
		Spec: job.Spec, Settings: job.Settings, Shards: job.Shards, Complete: m.Frontier() == 0, Level: m.Level,
		Frontier: ringcheck.Count(m.Frontier()), States: ringcheck.Count(m.States()), Transitions: ringcheck.Count(m.Transitions),
		Generated: ringcheck.Count(m.Generated), ShuffledBytes: ringcheck.Count(m.ShuffledBytes),
		KeptBytes: ringcheck.Count(m.KeptBytes()), WrittenBytes: ringcheck.Count(m.WrittenBytes),
	}
	if m.Fault != nil {
		a.Fault = m.Fault.Place + ": " + m.Fault.Message
	}
	return a
}

func (a *account) text() string {
	state := fmt.Sprintf("not complete: %s states of level %d are next", a.Frontier.Comma(), a.Level)
	switch {
	case a.Fault != "":
		state = "ended by a fault of the model: " + a.Fault
	case a.Complete:
		state = "complete"
	}
	var settings []string
	for _, name := range slices.Sorted(maps.Keys(a.Settings)) {
		settings = append(settings, name+" = "+a.Settings[name])
	}
	t := new(tabular.Table)
	t.Add("states", a.States.Comma())
	t.Add("transitions", a.Transitions.Comma()+", of which "+a.Generated.Comma()+" were not asleep")
	bytes := func(name string, bytes, n ringcheck.Count, of string) {
		t.Add(name, fmt.Sprintf("%s, %.2f bytes a %s", humanize.Bytes(uint64(bytes)), float64(bytes)/max(1, float64(n)), of))
	}
	bytes("shuffled", a.ShuffledBytes, a.Transitions, "transition")
	bytes("written", a.WrittenBytes, a.States, "state")
	bytes("kept", a.KeptBytes, a.States, "state")
	return fmt.Sprintf("%s, %s, %d shards\n%s\n\n%s",
		a.Spec, strings.Join(settings, ", "), a.Shards, state, t.Text(2, 2))
}
