package command

import (
	"strings"

	"github.com/spf13/pflag"
)

// words returns the arguments that can be the operands of a sub-command with the given flags, in their
// order. Flags that a spec declares are not known yet: the word behind an unknown --flag is returned, since
// the flag may be a boolean; the word behind an unknown -x is its value.
func words(args []string, flags *pflag.FlagSet) []string {
	var operands []string
	for i := 0; i < len(args); i++ {
		switch arg := args[i]; {
		case arg == "--":
			return append(operands, args[i+1:]...)
		case strings.HasPrefix(arg, "--"):
			if f := flags.Lookup(arg[2:]); f != nil && f.NoOptDefVal == "" {
				i++
			}
		case len(arg) > 1 && arg[0] == '-':
			if wantsNext(arg[1:], flags) {
				i++
			}
		default:
			operands = append(operands, arg)
		}
	}
	return operands
}

// wantsNext reports whether the value of a cluster of short flags (-qn) is the next argument.
func wantsNext(cluster string, flags *pflag.FlagSet) bool {
	for i := range len(cluster) {
		f := flags.ShorthandLookup(cluster[i : i+1])
		if f == nil || f.NoOptDefVal == "" {
			return i == len(cluster)-1
		}
	}
	return false
}
