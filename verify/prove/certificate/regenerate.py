#!/usr/bin/env python3
"""Regenerates the CNF files of a certificate from proof.json, compares them, and checks the refutations in the DRAT
files by unit propagation: python3 regenerate.py DIR

A state of a ring of n: each process is at one control; a holder of a control holds at most one node, or is a set;
messages are in transit to nodes, if they are counted also twice; at most one node is process 0 of the spec; a node sees
one value of each view, a register of a neighbour; identities are in an order. With a history, messages have been sent
by nodes, received by nodes, and one ahead of another one. proof.json has the rules, of the node with number 0, and the
patterns, in which an atom that does not hold has the complement of the number of its relation."""
import collections, functools, glob, hashlib, json, os, sys
from itertools import accumulate, permutations, product

def main(folder):
    data = read(folder, "proof.json")
    proof = json.loads(data, object_pairs_hook=members)
    if not any(p["goal"] for p in proof["patterns"]):
        sys.exit("proof.json has no pattern that the property forbids, so it does not show that the property holds")
    # A rule touches its process, those of its symbols, and a neighbour; a pattern adds two processes to these.
    touched = max(1 + sum(h != -2 for h in r["symbols"]) + len(neighbours(proof, r)) for r in proof["rules"])
    if proof["rings"] != [2, touched + 2]:
        sys.exit("proof.json: rings of 2 to %d must be looked at" % (touched + 2))
    files = set()
    for n in range(2, touched + 3):
        ring = Ring(proof, n)
        ring.validate()
        clauses = list(ring.clauses())
        text = "c proof.json %s\n" % hashlib.sha256(data).hexdigest()
        text += "p cnf %d %d\n" % (max(abs(l) for c in clauses for l in c), len(clauses))
        text += "".join(" ".join(map(str, c + [0])) + "\n" for c in clauses)
        name = "ring-%d" % n
        if read(folder, name + ".cnf") != text.encode():
            sys.exit(name + ".cnf DIFFERS")
        Propagation(clauses).check(name + ".drat", read(folder, name + ".drat").decode())
        print(name + ".cnf is the same, and refuted")
        files |= {name + ".cnf", name + ".drat"}
    for path in glob.glob(os.path.join(folder, "ring-*")):
        if os.path.basename(path) not in files:
            sys.exit(path + " is not part of the proof")
    goals = sum(p["goal"] for p in proof["patterns"])
    print("%s is proved if the rules and the patterns that it forbids (%d here) follow from the spec %s;" %
          (proof["property"], goals, proof["spec"]))
    print("ringcheck check %s --patterns %s confirms that they do" % (proof["spec"], folder))

def neighbours(proof, rule):
    """The sides of the neighbours that a rule touches: True is the right one."""
    k = rule["received" if proof["history"] else "sent"]
    sides = {not proof["sights"][i]["right"] for i in rule["reveals"]}
    return sides | ({proof["transits"][k]["right"] != proof["history"]} if k >= 0 else set())

def read(folder, name):
    try:
        with open(os.path.join(folder, name), "rb") as f:
            return f.read()
    except OSError as e:
        sys.exit(str(e))

def members(pairs):
    """An object of which no member occurs twice."""
    if len(dict(pairs)) != len(pairs):
        sys.exit("proof.json: a member occurs twice")
    return {k: [] if v is None else v for k, v in pairs}

class Ring:
    def __init__(self, proof, n):
        """Numbers relations, sort by sort, and the atoms of each, which are the variables."""
        self.__dict__.update(proof, n=n, base={})
        self.some_set = any(h["set"] for h in self.holders)
        h, t, e = len(self.holders), [m["nodes"] for m in self.transits], self.history
        arity = []
        one = [1 + f for f in t]
        for sort, list in (("stands", [1] * self.controls), ("holds", [2] * h), ("comes", one),
                           ("twice", one * self.counts), ("received", one * e),
                           ("ahead", [1 + 2 * f for f in t] * e), ("zero", [1] * self.zero), ("sees", [1] * len(self.sights)),
                           ("smaller", [2]), ("head", t * e), ("least", [1] * h * self.some_set)):
            self.base[sort] = len(arity)
            arity += list
        self.arity, self.first = arity, [*accumulate((n ** a for a in arity), initial=1)]

    def validate(self):
        """Whether the patterns and the rules say something of a ring, and no pattern occurs twice or initially."""
        if len({json.dumps(p["atoms"]) for p in self.patterns}) < len(self.patterns):
            sys.exit("proof.json: a pattern occurs twice")
        for p in self.patterns:
            if not p["atoms"] or p["width"] > 3 or not all(self.valid(p["width"], *a) for a in p["atoms"]):
                sys.exit("proof.json: a pattern is invalid: " + p["text"])
            nodes = {i for a in p["atoms"] for i in a[1:]} if self.zero else set()
            if any(all(self.begins(zero, *a) for a in p["atoms"]) for zero in nodes | {None}):
                sys.exit("proof.json: a pattern may occur in an initial state: " + p["text"])
        held, sent = range(len(self.holders)), range(len(self.transits))
        for r in self.rules:
            symbols = range(len(r["symbols"]) + 1)
            named = r["origins"] + r["targets"] + [i for k in r["sets"] for i in k["symbols"]]
            named += [i for k in r["conditions"] for i in (k["a"], k["b"])]
            held_by = [k["holder"] for k in r["sets"]] + [x for x in r["symbols"] if x >= 0]
            held_by += [k["kept"] for k in r["sets"] if k["kept"] >= 0]
            held_by += [k["of"] - 1 for k in r["conditions"] if k["of"]]
            fields = [(r["received"], r["origins"]), (r["sent"], r["targets"])]
            if not (all(i in symbols for i in named) and all(x in held for x in held_by)
                    and all(x in range(self.controls) for x in (r["from"], r["to"]))
                    and all(i in range(len(self.sights)) for i in r["reveals"])
                    and all(k["sees"] in range(len(self.sights) + 1) for k in r["conditions"])
                    and all(t == -1 and not f or t in sent and len(f) == self.transits[t]["nodes"] for t, f in fields)):
                sys.exit("proof.json: a rule is invalid: " + json.dumps(r))

    def valid(self, width, relation, *nodes):
        """Whether an atom has a relation of a state and its nodes, and is exact if it must not hold."""
        if relation < 0 and not self.exact(~relation):
            return False
        relation = max(relation, ~relation)
        return (relation < self.base["head"] and len(nodes) == self.arity[relation]
                and all(i in range(width) for i in nodes))

    def exact(self, relation):
        base = self.base
        if base["holds"] <= relation < base["comes"]:
            return self.holders[relation - base["holds"]]["set"]
        return (self.history and base["comes"] <= relation < base["zero"]
                or self.zero and relation == base["zero"])

    def lit(self, relation, *nodes):
        if relation < 0:
            return -self.lit(~relation, *nodes)
        if relation == self.base["smaller"] and nodes[0] > nodes[1]:
            return -self.lit(relation, nodes[1], nodes[0])
        return self.first[relation] + functools.reduce(lambda i, m: i * self.n + m, nodes, 0)

    def atom(self, sort, k, *nodes):
        return self.lit(self.base[sort] + k, *nodes)

    def begins(self, zero, relation, *nodes):
        """Whether it may hold where all are at initial controls and hold their own identity, only initial messages are
        in transit, and nothing has been sent. Process 0 is a given node, or none."""
        is_zero, base = nodes[0] == zero, self.base
        initial = self.initial["zero" if is_zero else "others"]
        if self.zero and max(relation, ~relation) == base["zero"]:
            return is_zero == (relation >= 0)
        if 0 <= relation < base["holds"]:
            return relation in initial["controls"]
        if 0 <= relation < base["comes"]:
            return nodes[0] == nodes[1] and self.holders[relation - base["holds"]]["control"] in initial["controls"]
        if 0 <= relation < base["twice"]:
            return relation - base["comes"] in initial["messages"]
        if 0 <= relation < base["received"]:
            return relation - base["twice"] in initial["twice"]
        if base["sees"] <= relation < base["smaller"]:
            return relation - base["sees"] in self.initial["sights"]
        return relation < 0 or relation == base["smaller"]

    def tuples(self, width):
        """Nodes that are different and stand in this order around the ring."""
        for nodes in product(range(self.n), repeat=width):
            d = [(m - nodes[0]) % self.n for m in nodes]
            if all(d[i] < d[i + 1] for i in range(width - 1)):
                yield nodes

    def places(self, pattern):
        """The atoms of a pattern at all nodes."""
        for nodes in self.tuples(pattern["width"]):
            yield [self.lit(a[0], *(nodes[i] for i in a[1:])) for a in pattern["atoms"]]

    def clauses(self):
        """A state without patterns, and a step that makes one occur."""
        yield from self.structure()
        for p in self.patterns:
            yield from ([-l for l in atoms] for atoms in self.places(p))
        number = self.first[-1]
        for before in self.breaks():
            yield from ([-number, l] for l in before)
            number += 1
        yield [*range(self.first[-1], number)]

    def structure(self):
        nodes, left_of = range(self.n), {True: self.n - 1, False: 1}
        for p in nodes:
            at = [self.atom("stands", x, p) for x in range(self.controls)]
            yield at
            yield from at_most_one(at)
            for x, holder in enumerate(self.holders):
                holds = [self.atom("holds", x, p, o) for o in nodes]
                yield from ([-l, at[holder["control"]]] for l in holds)
                if not holder["set"]:
                    yield from at_most_one(holds)
        if self.zero:
            yield from at_most_one([self.atom("zero", 0, p) for p in nodes])
        for view in dict.fromkeys(s["view"] for s in self.sights):
            for p in nodes:
                some = [self.atom("sees", k, p) for k, s in enumerate(self.sights) if s["view"] == view]
                yield some
                yield from at_most_one(some)
        for k, m in enumerate(self.transits if self.counts else ()):
            for named in product(nodes, repeat=1 + m["nodes"]):
                yield [-self.atom("twice", k, *named), self.atom("comes", k, *named)]
        for x, y, z in permutations(nodes, 3):
            yield [-self.atom("smaller", 0, *pair) for pair in ((x, y), (y, z))] + [self.atom("smaller", 0, x, z)]
        for x, y in permutations(nodes, 2) if self.some_set else ():
            for k, m in enumerate(self.transits):
                if self.history and m["nodes"]:
                    ahead = self.atom("ahead", k, left_of[m["right"]], x, y)
                    yield [-self.atom("head", k, x), ahead, self.atom("received", k, 0, y)]
            for k in range(len(self.holders)):
                yield [-self.atom("least", k, x), -self.atom("holds", k, 0, y), -self.atom("smaller", 0, y, x)]

    def breaks(self):
        """What holds before each step behind which a pattern occurs of which it makes an atom hold."""
        steps = [self.step(rule, (0,) + nodes) for rule in self.rules
                 for nodes in product(*(range(self.n if s > -2 else 1) for s in rule["symbols"]))]
        for p in self.patterns:
            places = [*self.places(p)]
            for before, after in filter(None, steps):
                for atoms in places:
                    then = [after.get(l, l) for l in atoms]
                    if any(l in after for l in atoms) and not any(l is False for l in then):
                        yield before + [l for l in then if l is not True]

    def step(self, rule, nodes):
        """What holds before a step, and of what it changes, whether it holds afterwards, or what has to hold before for
        it. None if its conditions are false."""
        before, after, ring = [], {}, range(self.n)
        named = lambda symbols: [nodes[i] for i in symbols]
        for k in rule["conditions"]:
            x, y = nodes[k["a"]], nodes[k["b"]]
            if k["sees"]:
                before.append(self.atom("sees", k["sees"] - 1, x))
            elif k["of"]:
                before.append(self.atom("least", k["of"] - 1, x))
            elif k["zero"]:
                before.append(-self.atom("zero", 0, x) if k["not"] else self.atom("zero", 0, x))
            elif k["less"] and x != y:
                before.append(self.atom("smaller", 0, *((y, x) if k["not"] else (x, y))))
            elif (not k["less"] and x == y) == k["not"]:
                return None
        before.append(self.lit(rule["from"], 0))
        before += [self.atom("holds", x, 0, nodes[i + 1]) for i, x in enumerate(rule["symbols"]) if x >= 0]
        if rule["from"] != rule["to"]:
            after[self.lit(rule["from"], 0)], after[self.lit(rule["to"], 0)] = False, True
            for x, holder in enumerate(self.holders):
                if holder["control"] == rule["from"]:
                    after.update({self.atom("holds", x, 0, o): False for o in ring})
        for k in rule["sets"]:
            x, kept = k["holder"], k["kept"]
            if kept != x:
                after.update({self.atom("holds", x, 0, o): kept >= 0 and self.atom("holds", kept, 0, o) for o in ring})
            after.update({self.atom("holds", x, 0, o): True for o in named(k["symbols"])})
        t, origins, at = rule["received"], named(rule["origins"]), 0
        if t >= 0:
            if self.history:
                at = self.n - 1 if self.transits[t]["right"] else 1
                before.append(self.atom("head", t, *origins))
                after[self.atom("received", t, 0, *origins)] = True
            before.append(self.atom("comes", t, at, *origins))
            if self.counts:
                after[before[-1]] = self.atom("twice", t, at, *origins)
        t, targets = rule["sent"], named(rule["targets"])
        if t >= 0:
            to = 0 if self.history else 1 if self.transits[t]["right"] else self.n - 1
            sent = self.atom("comes", t, to, *targets)
            if self.history:
                before.append(sent if rule["again"] else -sent)
            if not rule["again"]:
                after[sent] = True
                if self.counts:
                    after[self.atom("twice", t, to, *targets)] = sent
                for o in ring if self.history and targets else ():
                    if o != targets[0]:
                        after[self.atom("ahead", t, 0, targets[0], o)] = -self.atom("comes", t, 0, o)
        for i in rule["reveals"]:
            view, to = self.sights[i]["view"], self.n - 1 if self.sights[i]["right"] else 1
            after.update({self.atom("sees", k, to): k == i for k, s in enumerate(self.sights) if s["view"] == view})
        after.update({-l: not then if isinstance(then, bool) else -then for l, then in after.items()})
        return before, after

class Propagation:
    """Clauses of which two literals are watched, those at the beginning."""

    def __init__(self, clauses):
        self.true, self.trail, self.watches, self.false = set(), [], collections.defaultdict(list), False
        self.known = {abs(l) for c in clauses for l in c}
        for c in clauses:
            self.add(c)

    def add(self, clause):
        if self.tautology(clause):
            return
        clause = [l for l in dict.fromkeys(clause) if -l not in self.true]
        if len(clause) > 1:
            for l in clause[:2]:
                self.watches[l].append(clause)
        else:
            self.false = self.false or not clause or self.refutes(clause)

    def refutes(self, lits):
        """Makes literals true, and those that follow. It reports whether a clause is false then."""
        head = len(self.trail)
        self.assign(lits)
        while head < len(self.trail):
            lit = -self.trail[head]
            head += 1
            old, self.watches[lit] = self.watches[lit], []
            for i, c in enumerate(old):
                if c[0] == lit:
                    c[0], c[1] = c[1], c[0]
                k = 1 if c[0] in self.true else next((k for k in range(2, len(c)) if -c[k] not in self.true), 0)
                if k > 1:
                    c[1], c[k] = c[k], c[1]
                self.watches[c[1]].append(c)
                if k == 0 and -c[0] in self.true:
                    self.watches[lit] += old[i + 1:]
                    return True
                if k == 0:
                    self.assign([c[0]])
        return False

    def assign(self, lits):
        self.true.update(lits)
        self.trail += lits

    def tautology(self, clause):
        there = set(clause)
        return any(l in self.true or -l in there for l in clause)

    def follows(self, clause):
        """Whether unit propagation refutes the clauses together with the negation of one of the same variables."""
        if self.false or self.tautology(clause):
            return True
        before = len(self.trail)
        conflict = self.refutes([-l for l in clause if -l not in self.true])
        self.true.difference_update(self.trail[before:])
        del self.trail[before:]
        return conflict

    def check(self, name, text):
        """Whether each line follows from the clauses and the lines before it, and the last one is the empty clause."""
        last = None
        for number, line in enumerate(text.splitlines(), 1):
            *clause, end = map(int, line.split() or [1])
            if end or last == [] or not all(abs(l) in self.known for l in clause) or not self.follows(clause):
                sys.exit("%s: line %d does not follow" % (name, number))
            self.add(clause)
            last = clause
        if last != []:
            sys.exit(name + ": the last line is not the empty clause")

def at_most_one(lits):
    return ([-lits[i], -lits[j]] for i in range(len(lits)) for j in range(i))

try:
    main(sys.argv[1] if len(sys.argv) > 1 else ".")
except (AttributeError, IndexError, KeyError, TypeError, ValueError) as e:
    sys.exit("the certificate is malformed: %r" % e)
