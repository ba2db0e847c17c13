// Package crew runs functions in goroutines on behalf of one caller, who waits for all of them and to whom a panic
// in one of them is handed on.
//
// A panic that is not recovered in its own goroutine ends the process. That is not acceptable in a library: its
// caller may want to recover, report and exit in an orderly way.
package crew
