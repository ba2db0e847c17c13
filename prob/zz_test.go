package prob

import (
	"context"
	"fmt"
	"math/big"
	"os"
	"ringcheck/explore"
	"ringcheck/model"
	"ringcheck/model/language/compile"
	"ringcheck/specs"
	"testing"
	"time"
)

func TestZZ(t *testing.T) {
	spec, _ := specs.Open("franklin")
	n, k := "3", "2"
	if v := os.Getenv("NK"); v != "" {
		n = v[:1]
		k = v[1:]
	}
	p, err := spec.Instantiate(map[string]string{"n": n, "k": k})
	if err != nil {
		t.Fatal(err)
	}
	sys, err := compile.New(p, compile.Options{MaxMessages: 64, MaxNat: 1000})
	if err != nil {
		t.Fatal(err)
	}
	b := time.Now()
	m, r, err := Generate(context.Background(), sys, explore.Options{}, View{Mark: func(i model.LabelInfo) uint32 {
		if i.Kind == model.SendAction {
			return 1
		}
		if i.Visible {
			return 2
		}
		return 0
	}})
	fmt.Println(err, r.States, m.States(), m.Branches(), m.Choices(), len(m.classes), time.Since(b))
	b = time.Now()
	pr, err := Prepare(context.Background(), m, Goal{Marks: []bool{false, false, true}})
	fmt.Println("prepare", time.Since(b), pr.states(), len(pr.components)-1)
	b = time.Now()
	big1 := 0
	for c := 0; c+1 < len(pr.components); c++ {
		if d := pr.components[c+1] - pr.components[c]; d > 1 {
			big1++
			fmt.Print(d, " ")
		}
	}
	fmt.Println("nontrivial", big1)
	steps := &Reward{"steps", []*big.Rat{one, one, one}}
	msgs := &Reward{"messages", []*big.Rat{nil, one, nil}}
	for _, k := range []Scheduler{Uniform, Min, Max} {
		for _, r := range []*Reward{steps, msgs} {
			i, err := pr.Expected(context.Background(), k, r, Options{})
			fmt.Println(k, r.Name, i, i.Width(), err, time.Since(b))
			b = time.Now()
		}
		i, err := pr.Probability(context.Background(), k, Options{})
		fmt.Println(k, i, err, time.Since(b))
		b = time.Now()
		c, err := pr.Within(context.Background(), k, 200)
		fmt.Println(k, c[50], err, time.Since(b))
		b = time.Now()
	}
}
