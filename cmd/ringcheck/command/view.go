package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/cmd/internal/drafts"
	"ringcheck/explore"
	"ringcheck/internal/textfile"
	"ringcheck/view"
	"ringcheck/view/explorer"
)

// viewing is the view sub-command.
type viewing struct {
	job
	out    outFile
	listen string
	trace  string
	edit   bool
}

// viewAddress is the address of the page if the port is free, so that links to it stay valid.
const viewAddress = "127.0.0.1:7357"

func (a *app) viewCommand() *cobra.Command {
	v := &viewing{job: a.job()}
	cmd := v.command("view", v.on(v.run, v.validate), v.protocol.register, v.search.limits)
	cmd.Long = strings.ReplaceAll(cmd.Long, "{many}", fmt.Sprint(explorer.ManyStates))
	flags := cmd.Flags()
	v.file(cmd, &v.out, "out", "write the page to `FILE`, which ends in .html, instead of serving it", ".html")
	flags.StringVar(&v.listen, "listen", "", "serve the page at `ADDRESS:PORT` (default: "+viewAddress+", or another "+
		"port if it is in use)")
	flags.StringVar(&v.trace, "trace", "", "start with the run in `FILE`")
	flags.BoolVar(&v.edit, "edit", false, "let the page save the text to the file of the spec")
	return cmd
}

func (v *viewing) run(ctx context.Context, sys *ringcheck.System) error {
	x, prepared, err := drafts.Explorer(ctx, sys, v.options())
	if err != nil {
		return err
	}
	if v.out.path != "" {
		return v.export(ctx, x, prepared)
	}
	recorded, err := v.recording(ctx, x)
	if err != nil {
		return err
	}
	return v.serve(ctx, x, prepared, recorded)
}

// validate reports flags that contradict each other.
func (v *viewing) validate(flags *pflag.FlagSet) error {
	if v.edit && filepath.Ext(v.protocol.name) != ".ring" {
		return wrongRequestf("--edit needs a file to save to: a SPEC that is a .ring file")
	}
	return clash(flags, "out", "listen", "trace", "edit")
}

// recording returns the content of the file of --trace, which has a run of the system; nil without the flag.
func (v *viewing) recording(ctx context.Context, x *explorer.Explorer) ([]byte, error) {
	if v.trace == "" {
		return nil, nil
	}
	data, err := textfile.Read(v.trace)
	if err != nil {
		return nil, wrongRequestf("--trace: %w", err)
	}
	r, err := view.ReadRecording(data)
	if err == nil {
		_, _, err = x.Replay(ctx, r)
	}
	if err != nil {
		return nil, wrongRequestf("--trace %s: %w", v.trace, err)
	}
	return data, nil
}

func (v *viewing) export(ctx context.Context, x *explorer.Explorer, prepared *ringcheck.Prepared) error {
	err := v.out.save(func(w *os.File) error { return explorer.Export(ctx, w, x, prepared.Search) })
	switch {
	case errors.Is(err, explorer.ErrManyStates):
		return wrongRequestf("--out: %w: choose smaller parameters, or serve the page", err)
	case err != nil && ctx.Err() != nil:
		return earlyStop(&explore.StopError{Stop: explore.StopFor(ctx)})
	}
	return err
}

// serve serves the page until it is interrupted.
func (v *viewing) serve(ctx context.Context, x *explorer.Explorer, prepared *ringcheck.Prepared,
	recorded []byte) error {
	listener, err := net.Listen("tcp", cmp.Or(v.listen, viewAddress))
	if err != nil && v.listen == "" {
		listener, err = net.Listen("tcp", "127.0.0.1:0")
	}
	if err != nil {
		return wrongRequestf("--listen: %w", err)
	}
	hosts := hostsOf(listener.Addr(), v.listen)
	if !loopback(listener.Addr()) {
		fmt.Fprintf(v.stderr, "warning: anyone who can reach %s can open the page and use this machine's "+
			"memory and time\n", listener.Addr())
	}
	server := explorer.NewServer(v.session(x, prepared, recorded), hosts)
	url := "http://" + hosts[0] + "/"
	if err := v.print(fmt.Sprintf("%s\n%s\n", prepared.Title(), url)); err != nil {
		return err
	}
	return server.Serve(ctx, listener)
}

// session returns the session of the page, with an editor for specs; --edit lets it save the file.
func (v *viewing) session(x *explorer.Explorer, prepared *ringcheck.Prepared, recorded []byte) *explorer.Session {
	session := explorer.NewSession(nil)
	editor := &drafts.Editor{Session: session, Search: v.options()}
	if filepath.Ext(v.protocol.name) == ".ring" {
		editor.Load = func() (string, error) {
			text, err := textfile.Read(v.protocol.name)
			return string(text), err
		}
	}
	if v.edit {
		editor.Save = func(text string) error { return saveBytes("--edit", v.protocol.name, []byte(text)) }
	}
	session.Add(editor.Actions())
	session.Find = editor.Find
	session.Show(x, prepared.Search, recorded, editor.Content(&drafts.Draft{File: v.protocol.spec.File,
		Text: string(v.protocol.spec.Text), Settings: v.protocol.given}))
	return session
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostsOf returns the host names with which browsers can request an address, first the one to print.
func hostsOf(a net.Addr, asked string) []string {
	_, port, err := net.SplitHostPort(a.String())
	if err != nil {
		return []string{a.String()}
	}
	var names []string
	if host, _, err := net.SplitHostPort(asked); err == nil && host != "" && host != "0.0.0.0" && host != "::" {
		names = append(names, host)
	}
	if tcp, ok := a.(*net.TCPAddr); ok && !tcp.IP.IsUnspecified() {
		names = append(names, tcp.IP.String())
	} else if name, err := os.Hostname(); err == nil {
		names = append(names, name)
		addresses, _ := net.InterfaceAddrs()
		for _, address := range addresses {
			if ip, ok := address.(*net.IPNet); ok {
				names = append(names, ip.IP.String())
			}
		}
	}
	if loopback(a) {
		names = append(names, "localhost")
	}
	hosts := make([]string, len(names))
	for i, name := range names {
		hosts[i] = net.JoinHostPort(name, port)
	}
	return slices.Compact(hosts)
}
