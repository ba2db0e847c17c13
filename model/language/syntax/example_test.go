package syntax_test

import (
	"fmt"

	"ringcheck/model/language/syntax"
)

func ExampleParse() {
	f, err := syntax.Parse("token.ring", []byte(`
protocol token "a token goes round once"
param n: 2..16
topology directed ring of n
channel fifo
message Token
event leader
process p = if p = 0 then Holder else Relay
Holder = send right Token; recv left Token; leader; stop
Relay = recv left Token; send right Token; stop
`))
	if err != nil {
		panic(err)
	}
	fmt.Println(f.Name, f.Doc)
	for _, d := range syntax.All[*syntax.EquationDecl](f) {
		fmt.Println(d.Pos, d.Name)
	}
	// Output:
	// token a token goes round once
	// token.ring:9:1 Holder
	// token.ring:10:1 Relay
}

func ExampleRender() {
	src := []byte(`protocol token
topology directed ring of n
Relay(h) =
    recv left Token(h); if h = n the Leader else Relay(h)
mesage Token(h: 1..n)
`)
	_, err := syntax.Parse("token.ring", src)
	fmt.Print(syntax.Render(src, err.(syntax.ErrorList)))
	// Output:
	// token.ring:4:34: error: expected "then", found "the"
	//         recv left Token(h); if h = n the Leader else Relay(h)
	//                                      ^
	//     did you mean "then"?
	// token.ring:5:1: error: expected a declaration, found "mesage"
	//     mesage Token(h: 1..n)
	//     ^
	//     did you mean "message"?
}
