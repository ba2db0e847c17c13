package conform

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"ringcheck/model"
	"ringcheck/model/language/ir"
)

// A verb is a kind of actions of processes or of the environment.
type verb struct {
	kind  model.ActionKind
	fault ir.FaultKind // of a FaultAction
}

// verbs returns all verbs, always in the same order.
func verbs() (all []verb) {
	for _, kind := range slices.Sorted(maps.Keys(verbWords)) {
		if verbWords[kind] != "" {
			all = append(all, verb{kind: kind})
		}
	}
	for fault := range ir.FaultKinds {
		if fault != ir.CrashFault {
			all = append(all, verb{model.FaultAction, fault})
		}
	}
	return all
}

// verbWords has the words for actions, by kind.
var verbWords = map[model.ActionKind]string{
	model.Internal: "skip", model.SendAction: "send", model.ReceiveAction: "recv", model.EventAction: "event",
	model.CrashAction: "crash", model.RecoverAction: "recover", model.TickAction: "tick",
	model.FaultAction: "", // see String
	model.SyncAction:  "", // refused: see ir.SyncFeature
}

// String returns the word for the actions.
func (v verb) String() string {
	if v.kind == model.FaultAction {
		return v.fault.Info().Verb
	}
	return verbWords[v.kind]
}

// verbOf returns the verb of a word.
func verbOf(do string) (verb, error) {
	var known []string
	for _, v := range verbs() {
		if v.String() == do {
			return v, nil
		}
		known = append(known, v.String())
	}
	slices.Sort(known)
	return verb{}, fmt.Errorf("%s is not a kind of action: use %s", excerpt(do), strings.Join(known, ", "))
}

// kindsWith has the kinds of actions to which a member of an event belongs, if not to all.
var kindsWith = map[string][]model.ActionKind{
	"p": {model.Internal, model.SendAction, model.ReceiveAction, model.EventAction, model.CrashAction,
		model.RecoverAction, model.FaultAction},
	"to":      {model.SendAction},
	"from":    {model.ReceiveAction, model.FaultAction},
	"message": {model.SendAction, model.ReceiveAction, model.FaultAction},
	"name":    {model.EventAction},
	"args":    {model.SendAction, model.ReceiveAction, model.FaultAction, model.EventAction},
}

// allows reports whether the actions have a member.
func (v verb) allows(member string) bool {
	kinds, restricted := kindsWith[member]
	return !restricted || slices.Contains(kinds, v.kind)
}

// isOfProcess reports whether processes take the actions.
func (v verb) isOfProcess() bool { return v.kind != model.TickAction && v.kind != model.FaultAction }
