package check_test

import (
	"fmt"

	"ringcheck/model/language/check"
	"ringcheck/model/language/syntax"
)

const tokenRing = `protocol token "a token goes around a ring"
param n: 2..100 "ring size"
topology directed ring of n
channel fifo
message Token
process p = if p = 0 then Holder else Waiter
Holder = send right Token; Waiter
Waiter = recv left Token; Holder
`

// A spec is parsed, checked, and instantiated for values of its parameters.
func Example() {
	file, err := syntax.Parse("token.ring", []byte(tokenRing))
	if err != nil {
		fmt.Println(err)
		return
	}
	spec, err := check.File(file)
	if err != nil {
		fmt.Println(err)
		return
	}
	_, err = spec.Instantiate(map[string]string{"n": "1"})
	fmt.Println(err)
	p, err := spec.Instantiate(map[string]string{"n": "5"})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(spec.Name, len(p.Links), "channels")
	for _, point := range p.Points {
		fmt.Println(point.ID, point.Equation.Name)
	}
	// Output:
	// parameter n: 1 is not in 2..100
	// token 5 channels
	// 0 Holder
	// 1 Waiter
}
