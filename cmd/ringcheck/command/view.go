package command

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
	"ringcheck/internal/inside"
	"ringcheck/internal/textfile"
	"ringcheck/model/language/compile"
	"ringcheck/model/language/replay"
	"ringcheck/view/explorer"
)

// viewing is the view sub-command.
type viewing struct {
	job
	out    outFile
	listen string
	trace  string
}

// viewAddress is where the page is served if the port is free, so that links to it stay valid.
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
	return cmd
}

func (v *viewing) run(ctx context.Context, sys *ringcheck.System) error {
	recorded, err := v.recorded()
	if err != nil {
		return err
	}
	x, prepared, err := v.explorer(ctx, sys)
	if err != nil {
		return err
	}
	if v.out.path != "" {
		return v.export(ctx, x, prepared)
	}
	if err := v.fits(ctx, x, recorded); err != nil {
		return err
	}
	return v.serve(ctx, x, prepared, recorded)
}

// fits returns an error if there is a recorded run that is not a run of the system.
func (v *viewing) fits(ctx context.Context, x *explorer.Explorer, recorded []byte) error {
	if recorded == nil {
		return nil
	}
	var r replay.Recording
	err := json.Unmarshal(recorded, &r)
	if err == nil {
		_, _, err = x.Replay(ctx, &r)
	}
	if err != nil {
		return wrongRequestf("--trace %s: %w", v.trace, err)
	}
	return nil
}

// validate reports flags that contradict each other.
func (v *viewing) validate(*pflag.FlagSet) error {
	if v.out.path != "" && (v.listen != "" || v.trace != "") {
		return wrongRequestf("--out writes a file instead of serving the page: leave out --listen and --trace")
	}
	return nil
}

// recorded returns the content of the file of --trace, nil without the flag.
func (v *viewing) recorded() ([]byte, error) {
	if v.trace == "" {
		return nil, nil
	}
	data, err := textfile.Read(v.trace)
	if err != nil {
		return nil, wrongRequestf("--trace: %w", err)
	}
	return data, nil
}

// explorer makes an explorer of an instance of the protocol.
func (j *job) explorer(ctx context.Context, sys *ringcheck.System) (*explorer.Explorer, *ringcheck.Prepared, error) {
	opt := j.options()
	prepared, err := sys.Prepare(ctx, opt)
	if err != nil {
		return nil, nil, err
	}
	ask := func(ctx context.Context, goal string) (*compile.System, error) {
		p, err := inside.Spec(sys.Spec).Ask(inside.Given(sys), goal)
		if err != nil {
			return nil, err
		}
		return compile.New(ctx, p, compile.Options{MaxMessages: opt.MaxChannel, MaxNat: opt.MaxNat})
	}
	return explorer.New(prepared.System.(*compile.System), sys.Spec.Text, ask), prepared, nil
}

func (v *viewing) export(ctx context.Context, x *explorer.Explorer, prepared *ringcheck.Prepared) error {
	err := v.out.save(func(w *os.File) error { return explorer.Export(ctx, w, x, prepared.Search) })
	switch {
	case errors.Is(err, explorer.ErrManyStates):
		return wrongRequestf("--out: %w: choose smaller parameters, or serve the page", err)
	case err != nil && ctx.Err() != nil:
		return stopped(ringcheck.ErrIncomplete)
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
		fmt.Fprintf(v.stderr, "warning: everybody who can reach %s can open the page and use this machine's "+
			"memory and time\n", listener.Addr())
	}
	server, err := explorer.NewServer(x, explorer.Config{Hosts: hosts, Search: prepared.Search, Trace: recorded})
	if err != nil {
		return err
	}
	url := "http://" + hosts[0] + "/"
	if err := v.print(fmt.Sprintf("%s\n%s\n", prepared.Title(), url)); err != nil {
		return err
	}
	return server.Serve(ctx, listener)
}

func loopback(a net.Addr) bool {
	tcp, ok := a.(*net.TCPAddr)
	return ok && tcp.IP.IsLoopback()
}

// hostsOf returns the host names by which browsers can request an address, the one to print first.
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
