package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	o := Options{}
	flag.IntVar(&o.Servers, "n", 3, "the number of servers")
	flag.IntVar(&o.Terms, "terms", 10, "the number of elections that begin at most")
	flag.IntVar(&o.Entries, "entries", 15, "the length of a log at most")
	flag.IntVar(&o.Events, "events", 1000, "the number of lines")
	flag.Uint64Var(&o.Seed, "seed", 1, "determines what happens")
	bug := flag.String("bug", "", "a planted mistake: "+strings.Join(bugNames(), ", "))
	flag.Parse()
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	var err error
	if o.Bug, err = bugOf(*bug); err == nil {
		_, err = Run(o, func(line Line) { fmt.Fprintln(out, line) })
	}
	if err != nil {
		out.Flush()
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(2)
	}
}
