package main

import (
	"bufio"
	"cmp"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	o := Options{}
	flag.IntVar(&o.Servers, "n", 3, "the number of servers")
	flag.IntVar(&o.Terms, "terms", 30, "the last term: a run ends when it begins")
	flag.IntVar(&o.Lines, "lines", 2000, "the number of lines at most")
	bug := flag.String("bug", "", "a planted mistake: "+strings.Join(bugNames(), ", "))
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "hashicorp: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	out := bufio.NewWriter(os.Stdout)
	var err error
	if o.Bug, err = bugOf(*bug); err == nil {
		_, err = Run(o, func(line Line) { fmt.Fprintln(out, line) })
	}
	if err = cmp.Or(err, out.Flush()); err != nil {
		fmt.Fprintln(os.Stderr, "hashicorp:", err)
		os.Exit(2)
	}
}
