package spectest

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"

	"ringcheck/model/language/channel"
	"ringcheck/model/language/ir"
)

// A plan says what a varied spec declares beside what every random spec has.
type plan struct {
	*network
	channel                string // its kinds
	capacity               int    // of each channel, 0 for none
	dropping               bool   // whether a full channel drops messages
	limits                 limits
	delay                  string // "" for none
	racing                 string
	crash, recovery        string // how many crashes of which processes; the beginning of what recovers
	begin                  string // how the processes begin
	initial                int    // messages in a channel to begin with
	register, ghost, timer bool
	shared                 bool // whether there are shared variables
	shapes                 bool // whether there are registers that are no numbers
	ignores, collections   bool
	species                string // the kind of process 0, "" if there is one for all
	start                  string // the initial value of the register
	near, rounds           bool   // whether the equations are there that features call
	absent                 bool   // whether something is declared that is absent
	unbounded              bool   // whether there is a variable without a bound
	reticent               bool   // whether nothing reads a neighbour but a feature by force
}

// limits are the numbers of faults of messages, by kind: "1", "unlimited", or "" for none.
type limits [ir.FaultKinds]string

// limit returns a limit for some faults, by their words.
func limit(most string, words ...string) (l limits) {
	for _, word := range words {
		kind, _ := ir.FaultOf(word)
		l[kind] = most
	}
	return l
}

// once says whether a varied spec has something that one in n has.
func (g *generator) once(n int) bool { return g.varied && g.chance(n) }

// draft settles at random what a spec has.
func (g *generator) draft() {
	g.network = &pick(g, [][]network{networks[0:1], networks[0:1], networks[1:2], networks[1:2], networks[3:4]}...)[0]
	if g.once(2) {
		g.network = &networks[g.IntN(len(networks))]
	}
	g.channel = pick(g, channelKinds()...)
	g.register, g.ghost, g.timer = g.once(6), g.once(8), g.once(12)
	g.shared = g.once(8)
	g.ignores, g.collections = g.once(3), g.once(3)
	if g.once(6) {
		g.species = pick(g, "zero[p in 0..0]", "hub")
	}
	g.start = pick(g, "none", "0", "if p = 0 then high else 0")
	for _, kind := range faultKinds() {
		if g.once(12) {
			g.limits[kind] = "1"
		}
	}
	if g.once(12) {
		g.delay = pick(g, "0..1", "1..1", "1..2")
	}
	if g.once(12) {
		g.crash = fmt.Sprint(g.IntN(2))
	}
	if g.once(5) {
		g.initial = 1
	}
}

// channelKinds returns the kinds of channels that a spec can have: each discipline, or by option it or the next one.
func channelKinds() []string {
	words := channel.Buffers()
	all := words
	for i, word := range words {
		all = append(all, fmt.Sprintf("%s | %s = %[1]s", word, words[(i+1)%len(words)]))
	}
	return all
}

// omit takes out of a draft what belongs to groups of features.
func (g *generator) omit(groups []string) {
	for _, name := range groups {
		switch name {
		case "time":
			g.delay, g.racing, g.timer = "", "", false
		case "fault":
			g.limits, g.crash = limits{}, ""
		case "neighbour":
			g.reticent = true
		case "shared":
			g.shared = false
		case "network":
			g.network = &pick(g, networks[0:1], networks[1:2])[0]
		}
	}
}

// faults returns how many messages a channel has room for, what can go wrong with it, and how long messages take.
func (p *plan) faults() string {
	s := ""
	if p.capacity > 0 {
		s = fmt.Sprintf(" of %d", max(p.capacity, p.initial))
	}
	if p.capacity > 0 && p.dropping {
		s += ", dropping"
	}
	for word, kind := range faultKinds() {
		switch most := p.limits[kind]; most {
		case "":
		case "unlimited":
			s += ", " + word
		default:
			s += ", " + word + " at most " + most
		}
	}
	if p.delay != "" {
		s += ", delay " + p.delay + p.racing
	}
	return s
}

var blank = regexp.MustCompile(`[A-Z]{3,}`)

// fill puts expressions and the like in the place of the words in capitals.
func (s *scope) fill(format string) string {
	return blank.ReplaceAllStringFunc(format, func(word string) string {
		switch word {
		case "NUMBER":
			return s.expr(number, 1)
		case "BOOL":
			return parens(s.expr(boolean, 1))
		case "SET":
			return s.set(1)
		case "ARRAY":
			return s.array(1)
		case "EVENT":
			return s.event()
		case "END":
			return s.event() + "; " + s.fall().end()
		case "NEIGHBOUR":
			return s.peer()
		case "PEER":
			return s.peer() + ".r"
		case "TAKE":
			return s.take("_")
		case "SOURCE":
			return pick(s.generator, s.network.sources...)
		case "INBOX":
			return s.inbox
		case "TARGET":
			return pick(s.generator, s.targets...)
		}
		return word
	})
}

// take returns the receipt of a message whose field is as a pattern says.
func (s *scope) take(p string) string {
	return fmt.Sprintf("recv %s M0(%s)", pick(s.generator, s.network.sources...), p)
}

// peer returns an expression for a neighbour.
func (s *scope) peer() string {
	for _, e := range s.targets {
		if e != "(n - 1)" {
			return e
		}
	}
	return ""
}

// lasting declares registers, ghosts and timers, and the variables of loops.
func (g *generator) lasting() {
	if !g.varied {
		return
	}
	g.printf("var i, j, l: 0..high\nvar q: node\ndefine odd(v: 0..high) = v = 1\n")
	g.printf("define hot(v: red | slow | fast) = v = fast\n")
	g.printf("define above(v: 0..high, w: 0..high) = v > w and w < high\n")
	g.printf("define either(v: 0..high, w: 0..high) = odd(v) or above(v, w) and odd(w)\n")
	g.printf("define cold(v: red | slow | fast) = not hot(v) and not either(0, high)\n")
	if g.unbounded {
		g.printf("var k: nat\n")
	}
	if g.register {
		g.printf("register r: 0..high%s\n", strings.Replace(" = "+g.start, " = none", "", 1))
	}
	g.declareShapes()
	g.declareShared()
	if g.ghost {
		g.printf("ghost g: 0..high = 0\n")
	}
	if g.timer {
		g.printf("timer t: 0..2%s\n", pick(g, "", " = 1"))
	}
}

// callees writes the equations that features call.
func (g *generator) callees() {
	if g.ignores {
		g.printf("Junk = ignore %s\n", g.messages[0].name)
	}
	if g.near {
		g.printf("Near(keep i) = pong(i, true); if i = 1 then stop else skip; stop\n")
	}
	if g.rounds {
		g.printf("Again(i) = Rounds(i)\nRounds(i) = for i in i..high: ping; %s\n", pick(g, "stop", "ping; stop"))
	}
}

// environment writes what can happen to processes, and what is in channels to begin with.
func (g *generator) environment() {
	s := &scope{generator: g, budget: -1, outside: true}
	var messages []string
	for range g.initial {
		messages = append(messages, call("M0", []string{s.expr(number, 0)}))
	}
	if g.initial > 0 {
		g.printf("initially %s in inbox(p, %s) for p in node%s\n", strings.Join(messages, ", "), g.source(),
			pick(g, "", " where p > 0", " where p = 0"))
	}
	if g.crash == "" {
		return
	}
	g.printf("crash at most %s", g.crash)
	if !strings.Contains(g.crash, " of ") {
		g.printf(" of p")
	}
	switch {
	case g.recovery == "E" || g.recovery == "" && g.chance(2):
		g.printf(" recover %s", s.start(pick(g, g.equations...)))
	case g.recovery != "":
		g.printf(" recover %s", g.recovery)
	}
	g.printf("\n")
}

// variedExpr returns an expression that only a varied spec has, "" for none.
func (s *scope) variedExpr(t typ, depth int) string {
	switch {
	case !s.varied || !s.chance(4):
	case t == number && s.register && !s.outside && s.chance(2):
		if s.reticent || s.chance(2) {
			return "r"
		}
		return s.peer() + ".r"
	case s.shared && !s.outside && s.chance(2):
		return map[typ]string{number: "sn", boolean: "sb", set: "ss", array: "sa", color: "sc"}[t]
	case t == number && s.collections && depth > 0:
		return fmt.Sprintf("%s({high} union %s)", pick(s.generator, "min", "max"), s.expr(set, depth-1))
	case t == boolean && s.timer && !s.outside:
		return "t = 0"
	case t == boolean && s.collections && depth > 0:
		return fmt.Sprintf("(%s w%d in 0..high: w%d in %s)", pick(s.generator, "forall", "exists"), depth, depth,
			parens(s.expr(set, depth-1)))
	case t == set && s.collections && depth > 0:
		return fmt.Sprintf("{w%d in {%d..high} where w%d != %s}", depth, s.IntN(2), depth,
			parens(s.expr(number, depth-1)))
	}
	return ""
}

// feature returns a feature that is to be written here, nil for none: one by force, or sometimes another one whose
// declarations are there.
func (s *scope) feature(depth int) *feature {
	if !s.varied || !s.acted || s.drawn {
		return nil
	}
	if len(s.pending) > 0 {
		f := s.pending[0]
		s.pending = s.pending[1:]
		return f
	}
	if depth <= 0 || !s.chance(4) {
		return nil
	}
	f := pick(s.generator, features...)
	declared := s.plan
	if f.declare != nil {
		f.declare(&declared)
	}
	if f.write == nil || declared != s.plan || f.reads && s.reticent {
		return nil
	}
	return f
}

// received returns s after a receive.
func (s *scope) received() *scope {
	t := s.fall()
	t.credit++
	return t
}

// skip returns an alternative.
func (s *scope) skip() string { return "skip; " + s.fall().end() }

// stored returns what a receive sets in the same step, "" for nothing.
func (s *scope) stored() string {
	switch {
	case s.shared && s.chance(4):
		return fmt.Sprintf(" then sn := %s", s.expr(number, 1))
	case s.ghost && s.chance(3):
		return fmt.Sprintf(" then g := (g + %s) mod (high + 1)", s.expr(number, 1))
	case s.register && s.chance(3):
		return fmt.Sprintf(" then r := %s", s.expr(number, 1))
	}
	return ""
}

// ignored returns an alternative that discards messages, if there is to be one.
func (s *scope) ignored() []string {
	if !s.ignores || s.drawn || len(s.bound) == 0 || !s.chance(3) {
		return nil
	}
	return []string{pick(s.generator, "ignore "+pick(s.generator, s.messages...).name, "Junk")}
}

// variedProperty returns a property that only a varied spec has, "" for none.
func (g *generator) variedProperty() string {
	switch {
	case !g.varied || !g.chance(3):
	case g.chance(3):
		return "exists p in node, q in node: p != q and uid[p] = uid[q]"
	case g.shared && g.chance(2):
		return pick(g, "sn = 0 or sb", "sn in ss", "sa[0] = sn", "exists p in node: p = sp and p.x = sn", "sc = green")
	case g.register && g.chance(2):
		return "forall p in node: p.r = 0"
	case g.ghost && g.chance(2):
		return "exists p in node: p.g > 0"
	case g.crash != "":
		return "exists p in node: p crashed"
	}
	return ""
}

// Faulty returns a small random spec of two processes in which there is often nothing left to do but for the
// environment: messages are lost and duplicated, processes crash and recover.
func Faulty(r *rand.Rand) string {
	some := func(from ...string) string { return from[r.IntN(len(from))] }
	var body func(depth int) string
	body = func(depth int) string {
		if depth == 0 || r.IntN(4) == 0 {
			return some("stop", "stop", "stop", "A", "B", "crash")
		}
		action := some("e0", "e1", "send right M", "recv left M", "recv left M")
		switch r.IntN(6) {
		case 0:
			return "(" + action + "; " + body(depth-1) + " | " + action + "; stop)"
		case 1:
			return "draw b; if b then e0; " + body(depth-1) + " else e1; " + body(depth-1)
		}
		return action + "; " + body(depth-1)
	}
	var b strings.Builder
	b.WriteString("protocol faulty\ntopology undirected ring of 2\n")
	fmt.Fprintf(&b, "channel %s%s%s\n", some(channel.Buffers()...), some("", "", " of 1"),
		some("", "", ", lossy", ", lossy at most 1",
			", lossy, duplicating at most 1", ", duplicating at most 1"))
	fmt.Fprintf(&b, "crash at most %d of p%s%s\n", r.IntN(3), some("", " where p = 0", " where p = 1"),
		some("", " recover A", " recover B", " recover Back"))
	b.WriteString("var b: bool\nmessage M\nevent e0\nevent e1\nevent back\nprocess p = if p = 0 then A else B\n")
	fmt.Fprintf(&b, "A = skip; %s\nB = skip; %s\nBack = back; stop\n", body(1+r.IntN(3)), body(1+r.IntN(3)))
	return b.String()
}
