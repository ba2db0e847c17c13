// Package explorer is for looking at a system: from state to state, by the actions that are enabled, with its network,
// its messages, its properties and conditions that the user enters.
//
//	New          an Explorer of an instance of a spec: states by their addresses, what is enabled in them, runs to a goal
//	NewServer    the page on which to explore, as an http.Handler
//	Export       the same page as one file, with all states of a small system
//
// The address of a state is its canonical code (model.Codec) in the alphabet of base64url: the same in every process,
// so that a link with it can be kept and shared. The server keeps no session; each request says which state it is
// about.
//
// The page (folder page) is plain HTML, CSS and JavaScript modules without a build. Minimised systems are laid out by
// dagre 3.1.3 (folder page/vendor, with its licence).
package explorer
