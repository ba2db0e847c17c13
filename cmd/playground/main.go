//go:build js

// Command playground is ringcheck for a Web Worker: worker.js passes the requests of the page to it. ringcheck page
// builds it.
package main

import (
	"context"
	"encoding/json"
	"runtime/debug"
	"syscall/js"

	"ringcheck"
	"ringcheck/cmd/internal/drafts"
	"ringcheck/view/explorer"
)

// memory limits the memory of a search. A browser gives a program 4 GiB at most, and a phone far less.
const memory = 1 << 30

func main() {
	debug.SetMemoryLimit(memory + memory/2)
	session := explorer.NewSession(func(p explorer.Progress) {
		text, _ := json.Marshal(p)
		js.Global().Call("progressed", string(text))
	})
	editor := &drafts.Editor{Session: session, Search: ringcheck.Search{Workers: 1, Memory: memory}}
	session.Add(editor.Actions())
	session.Find = editor.Find
	js.Global().Set("answer", js.FuncOf(func(_ js.Value, args []js.Value) any {
		id, action, request := args[0], args[1].String(), args[2].String()
		go func() {
			answer, err := session.Answer(context.Background(), action, []byte(request))
			if err != nil {
				answer, _ = json.Marshal(map[string]string{"error": err.Error()})
			}
			js.Global().Call("answered", id, string(answer), err == nil)
		}()
		return nil
	}))
	js.Global().Call("started")
	select {}
}
