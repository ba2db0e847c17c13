package command

import (
	"context"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"ringcheck"
)

// A job is what the sub-commands that explore have in common: the SPEC, what may be spent on it, the files that are
// written, and how the result is printed.
type job struct {
	form
	protocol protocol
	search   search
	files    []*outFile
}

func (a *app) job() job { return job{form: form{app: a}} }

// file gives cmd a flag that names a file to be written.
func (j *job) file(cmd *cobra.Command, f *outFile, name, usage string, endings ...string) {
	f.register(cmd, name, usage, endings)
	j.files = append(j.files, f)
}

// work makes a sub-command of do, which is called if the flags make sense and the files can be written.
func (j *job) work(
	do func(*cobra.Command) error, checks ...func(*pflag.FlagSet) error,
) func(*cobra.Command, []string) error {
	return runE(func(cmd *cobra.Command) error {
		flags := cmd.Flags()
		err := j.search.validate(flags)
		for _, check := range checks {
			if err == nil {
				err = check(flags)
			}
		}
		for _, f := range j.files {
			if err == nil {
				err = f.validate()
			}
		}
		if err != nil {
			return err
		}
		return do(cmd)
	})
}

// on is work for an instance of the protocol.
func (j *job) on(
	do func(context.Context, *ringcheck.System) error, checks ...func(*pflag.FlagSet) error,
) func(*cobra.Command, []string) error {
	return j.work(func(cmd *cobra.Command) error {
		sys, err := j.protocol.system()
		if err != nil {
			return err
		}
		j.warn(sys.Spec)
		return do(cmd.Context(), sys)
	}, checks...)
}

// searching returns the result of a search that shows its progress.
func searching[R any](j *job, search func(ringcheck.Options) (R, error)) (R, error) {
	watch := newProgress(j.app)
	defer watch.clear()
	return search(j.search.options(watch))
}
