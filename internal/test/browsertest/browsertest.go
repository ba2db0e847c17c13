// Package browsertest looks at pages in a real, headless browser. It is for tests only.
package browsertest

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"ringcheck/internal/test/testlevel"
)

// A Browser is a tab of a real, headless browser.
type Browser struct {
	Ctx context.Context

	mu       sync.Mutex
	errors   []string // what the console says, and exceptions
	requests []string // what is loaded
}

// shared is the browser of all tests of a package. It runs once it is asked for.
var shared struct {
	once sync.Once
	ctx  context.Context
	err  error
	stop func()
}

// Main runs the tests of a package, ends the browser that they share, and returns the exit status.
func Main(m *testing.M) int {
	status := m.Run()
	if shared.stop != nil {
		shared.stop()
	}
	return status
}

func launch(program string) {
	dir, err := os.MkdirTemp("", "browsertest")
	if err != nil {
		shared.err = err
		return
	}
	ctx, free := chromedp.NewExecAllocator(context.Background(), append(chromedp.DefaultExecAllocatorOptions[:],
		chromedp.ExecPath(program),
		chromedp.NoSandbox, // of pages of our own only; it does not start for root otherwise
		chromedp.DisableGPU,
		chromedp.Flag("disable-quic", true),
		chromedp.Flag("disable-component-update", true),
		chromedp.WindowSize(1400, 900),
		chromedp.UserDataDir(dir),
	)...)
	ctx, cancel := chromedp.NewContext(ctx)
	shared.ctx, shared.err = ctx, chromedp.Do(ctx)
	shared.stop = func() {
		cancel()
		free()
		os.RemoveAll(dir)
	}
}

// Start opens a tab in Chromium. It skips the test without RINGCHECK_TEST and where there is no Chromium. The tests of
// the package must run by Main.
func Start(t *testing.T) *Browser {
	t.Helper()
	if !testlevel.Gate() {
		t.Skip("only with RINGCHECK_TEST")
	}
	program := chromium()
	if program == "" {
		t.Skip("no chromium, chrome or headless-shell in PATH: pictures are not looked at in a browser")
	}
	shared.once.Do(func() { launch(program) })
	if shared.err != nil {
		t.Fatalf("starting %s: %v", program, shared.err)
	}
	ctx, cancel := chromedp.NewContext(shared.ctx)
	t.Cleanup(cancel)
	b := &Browser{Ctx: ctx}
	if err := chromedp.Listen(ctx, b.listen); err != nil {
		t.Fatal(err)
	}
	enable(t, ctx, network.Enable, network.EnableParams{})
	enable(t, ctx, log.Enable, cdp.Empty{})
	enable(t, ctx, runtime.Enable, cdp.Empty{})
	// Nothing moves, so that everything is in its place at once.
	b.Scheme(t, "light")
	return b
}

// Scheme makes the browser prefer "light" or "dark".
func (b *Browser) Scheme(t *testing.T, scheme string) {
	t.Helper()
	enable(t, b.Ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"},
			{Name: "prefers-color-scheme", Value: scheme}},
	})
}

func enable[P any](t *testing.T, ctx context.Context, cmd cdp.Command[P, cdp.Empty], params P) {
	t.Helper()
	if _, err := chromedp.Call(ctx, cmd, params); err != nil {
		t.Fatal(err)
	}
}

func chromium() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
		"headless-shell"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

func (b *Browser) listen(event any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	switch e := event.(type) {
	case *network.EventRequestWillBeSent:
		b.requests = append(b.requests, e.Request.URL)
	case *runtime.EventConsoleAPICalled:
		b.errors = append(b.errors, fmt.Sprintf("console.%s", e.Type))
	case *runtime.EventExceptionThrown:
		b.errors = append(b.errors, e.ExceptionDetails.Text)
	case *log.EventEntryAdded:
		b.errors = append(b.errors, e.Entry.Text)
	}
}

// Do does something with the page.
func (b *Browser) Do(t *testing.T, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(b.Ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// Open goes to an address.
func (b *Browser) Open(t *testing.T, url string) {
	t.Helper()
	b.mu.Lock()
	b.errors, b.requests = nil, nil
	b.mu.Unlock()
	b.Do(t, chromedp.Navigate(url))
}

// Eval returns the value of a JavaScript expression.
func Eval[T any](t *testing.T, b *Browser, script string) T {
	t.Helper()
	v, err := chromedp.Run(b.Ctx, chromedp.Evaluate[T](script))
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Quiet checks that nothing was loaded but what begins with urland that the console is empty.
func (b *Browser) Quiet(t *testing.T, url string) {
	t.Helper()
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.errors) > 0 {
		t.Errorf("the browser complains: %s", strings.Join(b.errors, "; "))
	}
	for _, r := range b.requests {
		if !strings.HasPrefix(r, url) && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page loads %s", r)
		}
	}
	if len(b.requests) == 0 {
		t.Error("the request for the page itself was not seen")
	}
}
