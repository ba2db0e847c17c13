// Package command is the command line of ringcheck: flags to options of the library, and its reports to text or JSON.
//
// Each sub-command has a file: a type with its flags, which calls a function of package ringcheck and reports the
// result. Its help text is a page in the folder help. It is a job, which checks the flags and the files to write, makes
// the system, and runs the search. What jobs share is in types with flags of their own:
//
//	protocol   the SPEC argument, -p and the flags that the spec declares
//	search     the limits, the resources, and how the system is reduced: ringcheck.Options
//	form       --json, or text
//	drawing    how a run is shown
//	outFile    a file to write, which gets its name only when it is complete
//
// The flags of a spec are known only when the spec is. So before cobra parses the arguments, spec.go finds the SPEC
// among them and adds its parameters and options to the flags of the sub-command: parsing, help and completion treat
// them like any other.
//
// exit.go gives each error of the library its exit status, and Main prints it as one line on standard error. Control
// characters from files and arguments are escaped.
package command
