// Package desk answers the requests of a page with an editor: it reads a text while it is being typed, opens it as the
// system that the page shows, and checks it. Both the page that ringcheck view serves and the program for browsers use
// it.
package desk
