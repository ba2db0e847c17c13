// Package explorer lets a user explore a system state by state: it shows the network, the messages, the enabled
// actions, and the values of properties and of conditions that the user enters.
//
//	New          an Explorer of an instance of a spec: states by their addresses, enabled actions, runs to a goal
//	NewServer    the page on which to explore, as an http.Handler
//	Export       the same page as one file, with all states of a small system
//
// The address of a state is its canonical code (model.Codec) in base64url: it does not depend on the process, so that
// links can be kept and shared. The server keeps no session; each request names its state.
//
// The page (folder page) is plain HTML, CSS and JavaScript modules without a build. Minimised systems are laid out by
// dagre 3.1.3 (folder page/vendor, with its licence).
package explorer
