#!/bin/sh
# Shows what ringcheck says of a protocol beside what PRISM and Storm say of the files that it writes, as far as they are installed:
#
#     docs/prism-check.sh franklin -n 2 -k 2
#
# The values have to agree within the accuracy of those tools, which are asked for intervals: by default their value iteration has no bounds. Of several
# initial states they print the range of values, of which ringcheck's least is the lower end of a minimum, and its greatest the upper one of a maximum. PRISM reads
# transition rewards beside a .tra file since 4.9, and .umb since 4.10; Storm reads .umb from versions after 1.11 on.
set -eu
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
for form in tra umb; do
    ringcheck prob "$@" --until elected --export "$dir/model.$form" -q >"$dir/report"
done
cat "$dir/report"

properties='Pmin=? [ F "elected" ]
Pmax=? [ F "elected" ]
R{"steps"}min=? [ F "elected" ]
R{"steps"}max=? [ F "elected" ]
R{"messages"}min=? [ F "elected" ]
R{"messages"}max=? [ F "elected" ]'

# check TOOL COMMAND...: asks each property of a model. The command takes the property as its last argument.
check() {
    tool=$1
    shift
    if ! command -v "$1" >/dev/null; then
        echo "$1 is not installed"
        return
    fi
    echo "$properties" | while read -r property; do
        echo "$tool: $property"
        "$@" "$property" </dev/null | grep -E '^(States|Choices|Transitions|Result)' || echo '  no result'
    done
}

check 'PRISM, .tra' prism -explicit -intervaliter -importmodel "$dir/model.all" -pf
check 'PRISM, .umb' prism -explicit -intervaliter -importmodel "$dir/model.umb" -pf
check 'Storm, .umb' storm --explicit-umb "$dir/model.umb" --sound --prop
