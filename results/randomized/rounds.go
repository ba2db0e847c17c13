package randomized

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"ringcheck/explore/simulate"
	"ringcheck/model"
	"ringcheck/model/language/ir"
	"ringcheck/model/language/step"
	"ringcheck/specs"
)

// A Round maps each contender that takes part in a round to the mediators that it asks, counted from 0.
type Round map[int][]int

// Rounds takes a run of both phases of the synchronous algorithm and returns its rounds, the last one being the second
// phase, and who is elected, in ascending order. Process p of the spec is contender p below c, else mediator p - c.
func Rounds(
	ctx context.Context, p *ir.Protocol, c int, rng *rand.Rand,
) (rounds []Round, leaders []int, err error) {
	sys, err := simulate.New(ctx, p, step.Options{}, simulate.Scheduler{Schedule: simulate.Timed})
	if err != nil {
		return nil, nil, err
	}
	run := sys.NewRun()
	if err := run.Reset(rng); err != nil {
		return nil, nil, err
	}
	taken := make(map[int]int) // by contender: how many rounds it has begun
	now := func() int { return len(rounds) - 1 }
	for {
		ok, err := run.Step()
		if err != nil {
			return nil, nil, err
		}
		if !ok {
			slices.Sort(leaders)
			return rounds, leaders, nil
		}
		last := &run.Last
		switch {
		case last.Kind == model.SendAction && last.Message.Message.Name == "Ask":
			for now() < int(last.Message.Args[0])-1 {
				rounds = append(rounds, Round{})
			}
			taken[run.Process] = now()
			rounds[now()][run.Process] = append(rounds[now()][run.Process], int(last.Port)-c)
		case last.Kind == model.SendAction && last.Message.Message.Name == "Req":
			if now() == taken[run.Process] {
				rounds = append(rounds, Round{})
			}
			rounds[now()][run.Process] = append(rounds[now()][run.Process], int(last.Port)-c)
		case last.Kind == model.EventAction && last.Event.Name == "winner":
			leaders = append(leaders, run.Process)
		}
		if len(rounds) > 64 {
			return nil, nil, errors.New("too many rounds to draw")
		}
	}
}

// eight is the number of contenders, and of mediators, in Fig. 1.
const eight = 8

// figure1 returns the protocol of Fig. 1: eight contenders among eight mediators, two rounds of one and two balls, then
// five in the second phase.
func figure1() (*ir.Protocol, error) {
	spec, err := specs.Open("randomized")
	if err != nil {
		return nil, err
	}
	return spec.Instantiate(map[string]string{
		"n": "8", "c": "8", "rounds": "2", "quorum": "5", "network": "synchronous",
	})
}

// seeds is the number of runs among which drawFigure1 looks for a run like Fig. 1.
const seeds = 200

// drawFigure1 draws the first run like Fig. 1: four contenders go on to the second round, two to the second phase, and
// one is elected.
func drawFigure1(ctx context.Context, w io.Writer) error {
	p, err := figure1()
	if err != nil {
		return err
	}
	for seed := range uint64(seeds) {
		rounds, leaders, err := Rounds(ctx, p, eight, rand.New(rand.NewPCG(seed, 0)))
		if err != nil {
			return err
		}
		if len(rounds) == 3 && len(rounds[1]) == 4 && len(rounds[2]) == 2 && len(leaders) == 1 {
			return DrawRounds(w, rounds, leaders, eight, eight)
		}
	}
	return errors.New("no run is like that of Fig. 1")
}

// The sizes of a picture of rounds, in pixels.
const (
	cell   = 52
	square = 22
	ball   = 9
	edge   = 16
	left   = 100 // of the first contender
)

// DrawRounds draws rounds as Fig. 1 of the paper does, as SVG: contenders are squares, grey once they are out;
// mediators are bins, and contain the balls of the contenders that ask them.
func DrawRounds(w io.Writer, rounds []Round, leaders []int, c, n int) error {
	var b bytes.Buffer
	y := edge
	for i, r := range rounds {
		y = r.draw(&b, fmt.Sprintf("round %d", i+1), y, c, n)
	}
	end := "nobody is elected"
	if len(leaders) > 0 {
		end = "elected:"
		for _, l := range leaders {
			end += fmt.Sprintf(" contender %d", l+1)
		}
	}
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">%s</text>\n", edge, y+10, end)
	width := left + cell*max(c, n)
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="'Helvetica Neue', Arial, 'Liberation Sans', sans-serif" font-size="12">
<rect width="100%%" height="100%%" fill="#fff"/>
%s</svg>
`, width, y+edge+10, width, y+edge+10, b.Bytes())
	return err
}

// draw draws a round from y downward, and returns the y of its end.
func (r Round) draw(b *bytes.Buffer, name string, y, c, n int) int {
	bins := make([][]int, n)
	for contender := range c {
		for _, m := range r[contender] {
			bins[m] = append(bins[m], contender)
		}
	}
	most := 1
	for _, balls := range bins {
		most = max(most, len(balls))
	}
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">%s</text>\n", edge, y+15, name)
	for contender := range c {
		fill, ink := "#ffd56a", "#000"
		if len(r[contender]) == 0 {
			fill, ink = "#e4e4e4", "#999"
		}
		x := left + contender*cell
		fmt.Fprintf(b, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" fill=\"%s\" stroke=\"%s\"/>", x, y, square,
			square, fill, ink)
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" fill=\"%s\">%d</text>\n", x+square/2, y+16, ink,
			contender+1)
	}
	top := y + square + edge
	bottom := top + most*(2*ball+2) + 4
	fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\">mediators</text>\n", edge, bottom-4)
	for m, balls := range bins {
		x := left + m*cell
		fmt.Fprintf(b, "<path d=\"M%d %dV%dH%dV%d\" fill=\"none\" stroke=\"#000\"/>", x-2, top, bottom, x+square+2, top)
		fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"10\" fill=\"#666\">%d</text>\n",
			x+square/2, bottom+12, m+1)
		for i, contender := range balls {
			cy := bottom - 3 - ball - i*(2*ball+2)
			fill := "#d5e8ff"
			if len(balls) > 1 {
				fill = "#ffd0cc"
			}
			fmt.Fprintf(b, "<circle cx=\"%d\" cy=\"%d\" r=\"%d\" fill=\"%s\" stroke=\"#000\"/>", x+square/2, cy, ball,
				fill)
			fmt.Fprintf(b, "<text x=\"%d\" y=\"%d\" text-anchor=\"middle\" font-size=\"10\">%d</text>\n", x+square/2,
				cy+4, contender+1)
		}
	}
	return bottom + 2*edge + 8
}
