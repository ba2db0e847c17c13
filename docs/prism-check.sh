#!/bin/sh
# Shows what ringcheck says of a protocol beside what PRISM and Storm say of the files that it writes, as far as they are installed:
#
#     docs/prism-check.sh franklin -n 3 -k 2
#
# The values have to agree within the accuracy of those tools (for PRISM, value iteration without bounds by default).
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
ringcheck prob "$@" --until elected --export "$dir/model.tra" -q
if command -v prism >/dev/null; then
    for property in 'Pmin=? [ F "elected" ]' 'Pmax=? [ F "elected" ]' 'R{1}min=? [ F "elected" ]' 'R{1}max=? [ F "elected" ]' \
        'R{2}min=? [ F "elected" ]' 'R{2}max=? [ F "elected" ]'; do
        echo "PRISM: $property"
        prism -importmodel "$dir/model.all" -mdp -pf "$property" | grep '^Result'
    done
else
    echo "prism is not installed"
fi
if command -v storm >/dev/null; then
    ringcheck prob "$@" --until elected --export "$dir/model.drn" --scheduler max -q >/dev/null
    for property in 'Pmin=? [ F "elected" ]' 'R{"steps"}min=? [ F "elected" ]' 'R{"messages"}max=? [ F "elected" ]'; do
        echo "Storm: $property"
        storm --explicit-drn "$dir/model.drn" --prop "$property" | grep 'Result'
    done
else
    echo "storm is not installed"
fi
