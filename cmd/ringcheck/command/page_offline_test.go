package command

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"testing"
)

// TestPlaygroundOffline visits the page once, ends its server, and opens the page again: a protocol can be chosen,
// explored and checked without a network.
func TestPlaygroundOffline(t *testing.T) {
	p := newPlayground(t)
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Join(sharedSite.dir, "site"))))
	defer server.Close()
	p.url = server.URL + "/"
	p.show("")
	p.run(`navigator.serviceWorker.ready.then(() => caches.open("ringcheck")).then(cache => cache.keys()).then(
		keys => { window.storedFiles = keys.map(k => k.url); })`)
	p.until(`navigator.serviceWorker.controller && window.storedFiles?.some(url => url.endsWith("ringcheck.wasm"))`)
	server.CloseClientConnections()
	server.Close()
	p.show("")
	p.choose("Peterson")
	p.until(`document.getElementById("title").textContent.includes("peterson")`)
}
