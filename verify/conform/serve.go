//go:build !js

package conform

import (
	"net/http"

	"github.com/go-json-experiment/json"
)

// ServeHTTP writes the status of the monitor as JSON. The status code is 200 whatever the verdict.
func (m *Monitor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	_ = json.MarshalWrite(w, m.Status(), json.Deterministic(true)) // an error means that the client is gone
}
