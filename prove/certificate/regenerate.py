#!/usr/bin/env python3
"""Regenerates the CNF files of a certificate from proof.json and compares them: python3 regenerate.py DIR

A state of a ring of n: each process is at one control; a holder of a control holds at most one node, or is a set;
messages are in transit to nodes; identities are in an order. With a history, messages have been sent by nodes, received
by nodes, and one ahead of another one. proof.json has the rules, of process 0, and the patterns, in which an atom that
does not hold has the complement of the number of its relation."""
import itertools, json, os, sys

def main(folder):
    proof = json.load(open(os.path.join(folder, "proof.json")))
    check_initial(proof)
    for n in range(proof["rings"][0], proof["rings"][1] + 1):
        clauses = ring(proof, n)
        most = max(abs(l) for c in clauses for l in c)
        text = "p cnf %d %d\n" % (most, len(clauses))
        text += "".join(" ".join(map(str, c + [0])) + "\n" for c in clauses)
        name = "ring-%d.cnf" % n
        same = open(os.path.join(folder, name)).read() == text
        print(name, "is the same" if same else "DIFFERS")
        if not same:
            sys.exit(1)

def check_initial(proof):
    """No pattern occurs where all are at initial controls, hold their own identity, and nothing has been sent."""
    b = relations(proof)[0]
    def begins(r, *nodes):
        if 0 <= r < b["holds"]:
            return r in proof["initial"]
        if 0 <= r < b["comes"]:
            return nodes[0] == nodes[1] and proof["holders"][r - b["holds"]]["control"] in proof["initial"]
        return r < 0 or r == b["smaller"]
    for p in proof["patterns"]:
        assert not all(begins(*a) for a in p["atoms"]), p["text"]

def relations(proof):
    """By sort of relation the number of the first, and of all relations how many nodes they have."""
    h, t, e = proof["holders"] or [], [m["nodes"] for m in proof["transits"]], proof["history"]
    sets = any(holder["set"] for holder in h)
    first, arity = {}, []
    for sort, list in (("stands", [1] * proof["controls"]), ("holds", [2] * len(h)), ("comes", [1 + f for f in t]),
                       ("received", [1 + f for f in t] * e), ("ahead", [1 + 2 * f for f in t] * e), ("smaller", [2]),
                       ("head", t * e), ("least", [1] * len(h) * sets)):
        first[sort] = len(arity)
        arity += list
    return first, arity

def tuples(n, width):
    """Nodes that are different and stand in this order around the ring."""
    for nodes in itertools.product(range(n), repeat=width):
        d = [(m - nodes[0]) % n for m in nodes]
        if all(d[i] < d[i + 1] for i in range(width - 1)):
            yield nodes

def ring(proof, n):
    b, arity = relations(proof)
    order, first, number = b["smaller"], [], 1
    for a in arity:
        first.append(number)
        number += n ** a
    def lit(r, *nodes):
        if r < 0:
            return -lit(~r, *nodes)
        if r == order and nodes[0] > nodes[1]:
            return -lit(r, nodes[1], nodes[0])
        index = 0
        for m in nodes:
            index = index * n + m
        return first[r] + index
    out = []
    def at_most_one(lits):
        for i in range(len(lits)):
            for j in range(i):
                out.append([-lits[i], -lits[j]])
    for p in range(n):
        at = [lit(x, p) for x in range(proof["controls"])]
        out.append(at)
        at_most_one(at)
        for x, holder in enumerate(proof["holders"] or []):
            holds = []
            for o in range(n):
                holds.append(lit(b["holds"] + x, p, o))
                out.append([-holds[o], at[holder["control"]]])
            if not holder["set"]:
                at_most_one(holds)
    for x, y, z in itertools.permutations(range(n), 3):
        out.append([-lit(order, x, y), -lit(order, y, z), lit(order, x, z)])
    sets = any(holder["set"] for holder in proof["holders"] or [])
    for x, y in itertools.permutations(range(n), 2) if sets else ():
        for k, m in enumerate(proof["transits"]):
            if proof["history"] and m["nodes"]:
                left = lit(b["ahead"] + k, n - 1 if m["right"] else 1, x, y)
                out.append([-lit(b["head"] + k, x), left, lit(b["received"] + k, 0, y)])
        for k in range(len(proof["holders"] or [])):
            out.append([-lit(b["least"] + k, x), -lit(b["holds"] + k, 0, y), -lit(order, y, x)])
    for p in proof["patterns"]:
        for nodes in tuples(n, p["width"]):
            out.append([-lit(a[0], *(nodes[i] for i in a[1:])) for a in p["atoms"]])
    some = []
    for p in proof["patterns"]:
        for u in proof["rules"]:
            for nodes in itertools.product(range(n), repeat=len(u["symbols"] or [])):
                s = step(proof, u, (0,) + nodes, n, lit)
                for place in tuples(n, p["width"]) if s else ():
                    before, made = list(s[0]), False
                    for a in p["atoms"]:
                        l = lit(a[0], *(place[i] for i in a[1:]))
                        then = s[1][l] if l in s[1] else opposite(s[1][-l]) if -l in s[1] else None
                        if then is False:
                            break
                        made = made or then is not None
                        if then is not True:
                            before.append(l if then is None else then)
                    else:
                        if made:
                            out.extend([-number, l] for l in before)
                            some.append(number)
                            number += 1
    out.append(some)
    return out

def opposite(literal):
    return not literal if isinstance(literal, bool) else -literal

def step(proof, u, nodes, n, lit):
    """What holds before a step, and of what it changes, whether it holds afterwards, or what has to hold before for it.
    None if its conditions are false."""
    b, history = relations(proof)[0], proof["history"]
    order, before, after = b["smaller"], [], {}
    named = lambda symbols: [nodes[i] for i in symbols or []]
    for k in u["conditions"] or []:
        x, y = nodes[k["a"]], nodes[k["b"]]
        if k["of"]:
            before.append(lit(b["least"] + k["of"] - 1, x))
        elif not k["less"] or x == y:
            if (not k["less"] and x == y) == k["not"]:
                return None
        else:
            before.append(lit(order, y, x) if k["not"] else lit(order, x, y))
    before.append(lit(u["from"], 0))
    for i, x in enumerate(u["symbols"] or []):
        if x >= 0:
            before.append(lit(b["holds"] + x, 0, nodes[i + 1]))
    if u["from"] != u["to"]:
        after[lit(u["from"], 0)], after[lit(u["to"], 0)] = False, True
        for x, holder in enumerate(proof["holders"] or []):
            if holder["control"] == u["from"]:
                after.update({lit(b["holds"] + x, 0, o): False for o in range(n)})
    for k in u["sets"] or []:
        x, kept = b["holds"] + k["holder"], k["kept"]
        if kept != k["holder"]:
            after.update({lit(x, 0, o): kept >= 0 and lit(b["holds"] + kept, 0, o) for o in range(n)})
        after.update({lit(x, 0, o): True for o in named(k["symbols"])})
    t = u["received"]
    if t >= 0:
        origins, at = named(u["origins"]), 0
        if history:
            at = n - 1 if proof["transits"][t]["right"] else 1
            before.append(lit(b["head"] + t, *origins))
            after[lit(b["received"] + t, 0, *origins)] = True
        before.append(lit(b["comes"] + t, at, *origins))
    t = u["sent"]
    if t >= 0:
        targets = named(u["targets"])
        sent = lit(b["comes"] + t, 0 if history else 1 if proof["transits"][t]["right"] else n - 1, *targets)
        if history:
            before.append(sent if u["again"] else -sent)
        if not u["again"]:
            after[sent] = True
            for o in range(n) if history and targets else ():
                if o != targets[0]:
                    after[lit(b["ahead"] + t, 0, targets[0], o)] = -lit(b["comes"] + t, 0, o)
    return before, after

main(sys.argv[1] if len(sys.argv) > 1 else ".")
