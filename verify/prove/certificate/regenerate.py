#!/usr/bin/env python3
"""Regenerates the CNF files of a certificate from proof.json and compares them: python3 regenerate.py DIR

A state of a ring of n: each process is at one control; a holder of a control holds at most one node, or is a set;
messages are in transit to nodes; identities are in an order. With a history, messages have been sent by nodes, received
by nodes, and one ahead of another one. proof.json has the rules, of process 0, and the patterns, in which an atom that
does not hold has the complement of the number of its relation."""
import functools, json, os, sys
from itertools import accumulate, permutations, product

def main(folder):
    with open(os.path.join(folder, "proof.json")) as f:
        proof = json.load(f, object_hook=lambda d: {k: [] if v is None else v for k, v in d.items()})
    # A rule touches its process, those of its symbols, and a neighbour; a pattern adds two processes to these.
    neighbour = "received" if proof["history"] else "sent"
    touched = max(1 + sum(h != -2 for h in r["symbols"]) + (r[neighbour] >= 0) for r in proof["rules"])
    if proof["rings"] != [2, touched + 2]:
        sys.exit("rings of 2 to %d must be looked at" % (touched + 2))
    for n in range(2, touched + 3):
        ring = Ring(proof, n)
        for p in proof["patterns"]:
            assert not all(ring.begins(*a) for a in p["atoms"]), p["text"]
        clauses = list(ring.clauses())
        text = "p cnf %d %d\n" % (max(abs(l) for c in clauses for l in c), len(clauses))
        text += "".join(" ".join(map(str, c + [0])) + "\n" for c in clauses)
        name = "ring-%d.cnf" % n
        with open(os.path.join(folder, name)) as f:
            if f.read() != text:
                sys.exit(name + " DIFFERS")
        print(name, "is the same")

class Ring:
    def __init__(self, proof, n):
        """Numbers relations, sort by sort, and the atoms of each, which are the variables."""
        self.__dict__.update(proof, n=n, base={})
        self.some_set = any(h["set"] for h in self.holders)
        h, t, e = len(self.holders), [m["nodes"] for m in self.transits], self.history
        arity = []
        for sort, list in (("stands", [1] * self.controls), ("holds", [2] * h), ("comes", [1 + f for f in t]),
                           ("received", [1 + f for f in t] * e), ("ahead", [1 + 2 * f for f in t] * e),
                           ("smaller", [2]), ("head", t * e), ("least", [1] * h * self.some_set)):
            self.base[sort] = len(arity)
            arity += list
        self.first = [*accumulate((n ** a for a in arity), initial=1)]

    def lit(self, relation, *nodes):
        if relation < 0:
            return -self.lit(~relation, *nodes)
        if relation == self.base["smaller"] and nodes[0] > nodes[1]:
            return -self.lit(relation, nodes[1], nodes[0])
        return self.first[relation] + functools.reduce(lambda i, m: i * self.n + m, nodes, 0)

    def atom(self, sort, k, *nodes):
        return self.lit(self.base[sort] + k, *nodes)

    def begins(self, relation, *nodes):
        """Whether it may hold where all are at initial controls, hold their own identity, and have sent nothing."""
        if 0 <= relation < self.base["holds"]:
            return relation in self.initial
        if 0 <= relation < self.base["comes"]:
            return nodes[0] == nodes[1] and self.holders[relation - self.base["holds"]]["control"] in self.initial
        return relation < 0 or relation == self.base["smaller"]

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
            if k["of"]:
                before.append(self.atom("least", k["of"] - 1, x))
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
        t, targets = rule["sent"], named(rule["targets"])
        if t >= 0:
            to = 0 if self.history else 1 if self.transits[t]["right"] else self.n - 1
            sent = self.atom("comes", t, to, *targets)
            if self.history:
                before.append(sent if rule["again"] else -sent)
            if not rule["again"]:
                after[sent] = True
                for o in ring if self.history and targets else ():
                    if o != targets[0]:
                        after[self.atom("ahead", t, 0, targets[0], o)] = -self.atom("comes", t, 0, o)
        after.update({-l: not then if isinstance(then, bool) else -then for l, then in after.items()})
        return before, after

def at_most_one(lits):
    return ([-lits[i], -lits[j]] for i in range(len(lits)) for j in range(i))

main(sys.argv[1] if len(sys.argv) > 1 else ".")
