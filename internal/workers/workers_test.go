package workers_test

import (
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"ringcheck/internal/workers"
)

func Example() {
	var g workers.Group
	var sum atomic.Int64
	for i := range 10 {
		g.Go(func() { sum.Add(int64(i)) })
	}
	g.Wait()
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
	failure := errors.New("out of luck")
	panicked := make(chan struct{})
	g := workers.Group{OnPanic: func() { close(panicked) }} // a second call would panic
	g.Go(func() { fallOver(failure) })
	g.Go(func() { <-panicked; fallOver(failure) })
	g.Go(func() { <-panicked })
	p, ok := caught(g.Wait).(*workers.Panic)
	if !ok {
		t.Fatal("Wait did not panic with a *Panic")
	}
	if !errors.Is(p, failure) {
		t.Errorf("%v is not the error that was thrown", p)
	}
	if !strings.Contains(string(p.Stack), "fallOver") || !strings.Contains(p.Error(), "fallOver") {
		t.Errorf("the stack does not show where the panic was:\n%s", p.Stack)
	}
}

// TestNested checks that a panic that passes through two groups keeps the stack of the goroutine where it began.
func TestNested(t *testing.T) {
	var outer workers.Group
	outer.Go(func() {
		var inner workers.Group
		inner.Go(func() { fallOver(errors.New("deep")) })
		inner.Wait()
	})
	p, ok := caught(outer.Wait).(*workers.Panic)
	if !ok || !strings.Contains(string(p.Stack), "fallOver") {
		t.Errorf("got %v", p)
	}
}
