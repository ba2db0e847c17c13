package command

import (
	"context"
	"net"
	"os"

	"github.com/spf13/cobra"

	"ringcheck"
	"ringcheck/cmd/internal/drafts"
	"ringcheck/cmd/internal/lsp"
	"ringcheck/view/explorer"
)

// languageServer is the lsp sub-command.
type languageServer struct{ job }

func (a *app) lspCommand() *cobra.Command {
	l := &languageServer{a.job()}
	cmd := l.command("lsp", runE(l.run))
	cmd.Args = cobra.NoArgs
	cmd.Flags().Bool("stdio", true, "use standard input and output, as always")
	return cmd
}

func (l *languageServer) run(cmd *cobra.Command) error {
	l.watch.prints.Store(true)
	err := lsp.Serve(cmd.Context(), os.Stdin, os.Stdout, lsp.Options{
		Version: version(), Page: l.page, Log: l.stderr,
	})
	if err != nil {
		return earlyStop(err)
	}
	return nil
}

// page serves a page on this machine until ctx ends.
func (l *languageServer) page(ctx context.Context, sys *ringcheck.System) (url string, err error) {
	x, prepared, err := drafts.Explorer(ctx, sys, l.options())
	if err != nil {
		return "", err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	session := explorer.NewSession(nil)
	session.Show(x, prepared.Search, nil, nil)
	server := explorer.NewServer(session, hostsOf(listener.Addr(), ""))
	go server.Serve(ctx, listener)
	return "http://" + listener.Addr().String() + "/", nil
}
