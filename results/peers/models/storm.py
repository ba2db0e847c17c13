# Explores a PRISM model with Storm and computes properties with sound bounds:
#
#     python3 storm.py MODEL PROPERTY...
#
# A state without transitions has a loop in Storm, which does not count here.
import sys

import stormpy

program = stormpy.parse_prism_program(sys.argv[1])
properties = stormpy.parse_properties(";".join(sys.argv[2:]), program)
model = stormpy.build_model(program, properties)
loops = model.labeling.get_states("deadlock").get_number_of_set_bits()
print(f"{model.nr_states} states, {model.nr_transitions - loops} transitions")
environment = stormpy.environments.sound()
for p in properties:
    result = stormpy.model_checking(model, p, only_initial_states=True, environment=environment)
    print("value", result.get_value(model.initial_states[0]))
