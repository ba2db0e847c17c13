// Package command is the command line of ringcheck: it turns flags into options of the library, and the library's
// reports into text, JSON and other formats.
//
// Each sub-command has a file: a type with its flags, which calls a function of package ringcheck and turns the result
// into a report, in one function. Its help text is a page in the folder help. The type embeds job, which checks the
// flags and the files to write, makes the system, and prints the report. Groups of flags are shared:
//
//	protocol   the SPEC argument, -p and the flags that the spec declares
//	search     limits, resources and reductions: ringcheck.Search
//	drawing    the format and the destination of a run
//	outFile    a file to write, which gets its name only after it is complete
//
// The flags of a spec are known only after the spec has been read. So before cobra parses the arguments, spec.go finds
// the SPEC among them and adds its parameters and options to the flags of the sub-command, for parsing, help and
// completion.
//
// A report is a document, which package internal/document writes, with a verdict. exit.go gives verdicts and errors of
// the library their exit statuses, and Main prints an error as one line on standard error. Control characters from
// files and arguments are escaped.
package command
