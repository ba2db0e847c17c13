// Package crew runs functions in goroutines on behalf of one caller, who waits for all of them and to whom a panic
// in one of them is handed on.
//
// A panic that nobody recovers in its own goroutine ends the process. A library cannot leave it at that: who calls
// it may want to recover, report and exit in an orderly way.
package crew
