"""A finished run that can be asked: forward again, v·J, J·u, H·u, the check of rules, what-ifs, the second graph.

- `node`: one node as a function of arrays, with what its step read; needs no engine.
- `replay`: v·J from any node, through the entries of the run or some that are made of its recording.
- `derivatives`: rows of J, J·u, H·u, the graph of a second pass, and differences to compare with.
- `verify`: every rule against central differences; `compare`: what was recorded against our own rules.
- `what_if`: the recording with other numbers.
- `answer`: what may go wrong in all of them, and the one error that tells it.
"""
