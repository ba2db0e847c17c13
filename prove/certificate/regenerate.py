#!/usr/bin/env python3
"""Regenerates the CNF files of a certificate from proof.json and compares them: python3 regenerate.py DIR

A state of a ring of n: each process is at one control; a holder of a control holds at most one node; messages are in
transit to nodes; identities are in an order. proof.json has the rules, of process 0, and the patterns."""
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
    """No pattern occurs where all are at initial controls, hold their own identity, and no message is in transit."""
    c, h, t = proof["controls"], len(proof["holders"] or []), len(proof["transits"])
    def begins(r, *nodes):
        if r < c:
            return r in proof["initial"]
        if r < c + h:
            return nodes[0] == nodes[1] and proof["holders"][r - c] in proof["initial"]
        return r == c + h + t
    for p in proof["patterns"]:
        assert not all(begins(*a) for a in p["atoms"]), p["text"]

def tuples(n, width):
    """Nodes that are different and stand in this order around the ring."""
    for nodes in itertools.product(range(n), repeat=width):
        d = [(m - nodes[0]) % n for m in nodes]
        if all(d[i] < d[i + 1] for i in range(width - 1)):
            yield nodes

def ring(proof, n):
    c, h, t = proof["controls"], len(proof["holders"] or []), len(proof["transits"])
    arity = [1] * c + [2] * h + [m["arity"] for m in proof["transits"]] + [2]
    order, first, number = c + h + t, [], 1
    for a in arity:
        first.append(number)
        number += n ** a
    def lit(r, *nodes):
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
        at = [lit(x, p) for x in range(c)]
        out.append(at)
        at_most_one(at)
        for x in range(h):
            holds = []
            for o in range(n):
                holds.append(lit(c + x, p, o))
                out.append([-holds[o], at[proof["holders"][x]]])
            at_most_one(holds)
    for x, y, z in itertools.permutations(range(n), 3):
        out.append([-lit(order, x, y), -lit(order, y, z), lit(order, x, z)])
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
                        if l not in s[1]:
                            before.append(l)
                        elif not s[1][l]:
                            break
                        else:
                            made = True
                    else:
                        if made:
                            out.extend([-number, l] for l in before)
                            some.append(number)
                            number += 1
    out.append(some)
    return out

def step(proof, u, nodes, n, lit):
    """What holds before a step, and what it changes; None if its conditions are false."""
    c, h = proof["controls"], len(proof["holders"] or [])
    order, before, after = c + h + len(proof["transits"]), [], {}
    for k in u["conditions"] or []:
        a, b = nodes[k["a"]], nodes[k["b"]]
        if not k["less"] or a == b:
            if (not k["less"] and a == b) == k["not"]:
                return None
        else:
            before.append(lit(order, b, a) if k["not"] else lit(order, a, b))
    before.append(lit(u["from"], 0))
    for i, x in enumerate(u["symbols"] or []):
        if x >= 0:
            before.append(lit(c + x, 0, nodes[i + 1]))
    if u["received"] >= 0:
        before.append(lit(c + h + u["received"], 0, *(nodes[i] for i in u["origins"] or [])))
    if u["from"] != u["to"]:
        after[lit(u["from"], 0)], after[lit(u["to"], 0)] = False, True
        for x in range(h):
            if proof["holders"][x] == u["from"]:
                after.update({lit(c + x, 0, o): False for o in range(n)})
    for x, s in u["sets"] or []:
        after.update({lit(c + x, 0, o): o == nodes[s] for o in range(n)})
    if u["sent"] >= 0:
        to = 1 if proof["transits"][u["sent"]]["right"] else n - 1
        after[lit(c + h + u["sent"], to, *(nodes[i] for i in u["targets"] or []))] = True
    return before, after

main(sys.argv[1] if len(sys.argv) > 1 else ".")
