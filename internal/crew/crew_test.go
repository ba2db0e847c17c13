package crew_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"ringcheck/internal/crew"
)

func Example() {
	var c crew.Crew
	var sum atomic.Int64
	for i := range 10 {
		c.Go(func() { sum.Add(int64(i)) })
	}
	c.Wait()
	fmt.Println(sum.Load())
	// Output: 45
}

// caught returns what f panics with.
func caught(f func()) (v any) {
	defer func() { v = recover() }()
	f()
	return nil
}

func fallOver(err error) { panic(err) }

func TestPanic(t *testing.T) {
	fault := errors.New("out of luck")
	told := make(chan struct{})
	c := crew.Crew{OnPanic: func() { close(told) }} // a second call would panic
	c.Go(func() { fallOver(fault) })
	c.Go(func() { <-told; fallOver(fault) })
	c.Go(func() { <-told })
	p, ok := caught(c.Wait).(*crew.Panic)
	if !ok {
		t.Fatal("Wait did not panic with a *Panic")
	}
	if !errors.Is(p, fault) {
		t.Errorf("%v is not the error that was thrown", p)
	}
	if !strings.Contains(string(p.Stack), "fallOver") || !strings.Contains(p.Error(), "fallOver") {
		t.Errorf("the stack does not show where the panic was:\n%s", p.Stack)
	}
}

// TestNested checks that a panic that passes through two crews keeps the stack of the goroutine where it began.
func TestNested(t *testing.T) {
	var outer crew.Crew
	outer.Go(func() {
		var inner crew.Crew
		inner.Go(func() { fallOver(errors.New("deep")) })
		inner.Wait()
	})
	p, ok := caught(outer.Wait).(*crew.Panic)
	if !ok || !strings.Contains(string(p.Stack), "fallOver") {
		t.Errorf("got %v", p)
	}
}
