// Package drafts answers the requests of a page with an editor. The page sends a draft, the text of a spec while it is
// edited; an Editor reports its errors, opens it as the system that the page shows, and checks it. Both the page that
// ringcheck view serves and the program for browsers use it.
package drafts
