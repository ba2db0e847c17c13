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
	flag.IntVar(&o.Terms, "terms", 10, "the number of elections that begin at most")
	flag.IntVar(&o.Entries, "entries", 15, "the length of a log at most")
	flag.IntVar(&o.Events, "events", 1000, "the number of lines")
	flag.Uint64Var(&o.Seed, "seed", 1, "determines what happens")
	replay := flag.String("replay", "", "repeat the runs in this `file`, which ringcheck tests has written")
	bug := flag.String("bug", "", "a planted mistake: "+strings.Join(bugNames(), ", "))
	flag.Parse()
	if flag.NArg() > 0 {
		fmt.Fprintf(os.Stderr, "etcd: unexpected argument %q\n", flag.Arg(0))
		os.Exit(2)
	}
	var err error
	if o.Bug, err = bugOf(*bug); err == nil {
		if *replay != "" {
			err = replayFile(o, *replay)
		} else {
			err = run(o)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "etcd:", err)
		os.Exit(2)
	}
}

// run writes the log of a run.
func run(o Options) error {
	out := bufio.NewWriter(os.Stdout)
	_, err := Run(o, func(line Line) { fmt.Fprintln(out, line) })
	return cmp.Or(out.Flush(), err)
}

// replayFile repeats the runs in a file.
func replayFile(o Options, name string) error {
	file, err := os.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	runs, err := Replay(o, bufio.NewReader(file))
	if err == nil {
		fmt.Println(runs, "runs repeated")
	}
	return err
}
