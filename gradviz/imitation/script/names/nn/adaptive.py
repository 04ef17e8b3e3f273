"""`nn.AdaptiveLogSoftmaxWithLoss`, for the machine to read: frequent classes in one head, rare ones in clusters.

What is computed, in which order, and what is refused is as in torch/nn/modules/adaptive.py.
"""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.library.containers import fill_record
from gradviz.imitation.script.names.library.making import with_machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.names.nn.kinds import Kinds
from gradviz.imitation.script.values import Class, Native

ADAPTIVE = """
class AdaptiveLogSoftmaxWithLoss(Module):
    def __init__(self, in_features, n_classes, cutoffs, div_value=4.0, head_bias=False, device=None, dtype=None):
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        are_whole = not any(int(c) != c for c in cutoffs)
        are_inside = min(cutoffs) > 0 and max(cutoffs) <= n_classes - 1
        if cutoffs != sorted(set(cutoffs)) or not are_inside or not are_whole:
            raise ValueError(
                "cutoffs should be a sequence of unique, positive integers sorted in an increasing order, where each "
                "value is between 1 and n_classes-1")
        self.in_features, self.n_classes, self.cutoffs = in_features, n_classes, cutoffs + [n_classes]
        self.div_value, self.head_bias = div_value, head_bias
        self.shortlist_size, self.n_clusters = self.cutoffs[0], len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for number in range(self.n_clusters):
            hidden = int(in_features // (div_value ** (number + 1)))
            count = self.cutoffs[number + 1] - self.cutoffs[number]
            self.tail.append(Sequential(
                Linear(in_features, hidden, bias=False, **made), Linear(hidden, count, bias=False, **made)))
    def reset_parameters(self):
        self.head.reset_parameters()
        for inner, outer in self.tail:
            inner.reset_parameters()
            outer.reset_parameters()
    def _checked(self, input, target):
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target.dim() == 1 and input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.dim() != target.dim() + 1:
            raise RuntimeError(
                f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, but found inputs with size "
                f"{input.size()}")
    def forward(self, input_, target_):
        self._checked(input_, target_)
        is_batched = target_.dim() > 0
        input, target = (input_, target_) if is_batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        count, met = target.size(0), 0
        output, places = input.new_zeros(count), target.new_empty(count)
        for number, (low, high) in enumerate(zip([0] + self.cutoffs, self.cutoffs)):
            mask = (target >= low) & (target < high)
            rows = mask.nonzero().squeeze()
            if rows.numel() == 0:
                continue
            met += rows.numel()
            if number == 0:
                places.index_copy_(0, rows, target[mask])
                continue
            within, chosen = target[mask] - low, input.index_select(0, rows)
            scores = self.tail[number - 1](chosen)
            places.index_fill_(0, rows, self.shortlist_size + number - 1)
            logs = log_softmax(scores, dim=1).gather(1, within.unsqueeze(1))
            output.index_copy_(0, rows, logs.squeeze(1))
        if met != count:
            raise RuntimeError(
                f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                f"[{target.min().item()}, {target.max().item()}] were found. ")
        logs = log_softmax(self.head(input), dim=1)
        output += logs.gather(1, places.unsqueeze(1)).squeeze()
        loss = (-output).mean()
        return made_output(output if is_batched else output.squeeze(0), loss)
    def _get_full_log_prob(self, input, head_output):
        out = input.new_empty((head_output.size(0), self.n_classes))
        logs = log_softmax(head_output, dim=1)
        out[:, :self.shortlist_size] = logs[:, :self.shortlist_size]
        for number, (low, high) in enumerate(zip(self.cutoffs, self.cutoffs[1:])):
            within = log_softmax(self.tail[number](input), dim=1)
            out[:, low:high] = within + logs[:, self.shortlist_size + number].unsqueeze(1)
        return out
    def log_prob(self, input): return self._get_full_log_prob(input, self.head(input))
    def predict(self, input):
        scores = self.head(input)
        output = scores.argmax(dim=1)
        is_rare = output >= self.shortlist_size
        if not is_rare.any():
            return output
        if is_rare.all():
            return self._get_full_log_prob(input, scores).argmax(dim=1)
        output[is_rare] = self._get_full_log_prob(input[is_rare], scores[is_rare]).argmax(dim=1)
        return output
"""
NAME, RECORD = "torch.nn.modules.adaptive", "_ASMoutput"


def _made_output(machine: Machine, output: Any, loss: Any) -> Any:
    """What a call returns: a named tuple."""
    cls = machine.state.get(RECORD)
    if cls is None:
        cls = machine.state[RECORD] = Class(RECORD, (machine.builtins["tuple"],), module=NAME)
        fill_record(machine, cls, ["output", "loss"], {})
    return machine.call(cls, (output, loss), {})


def adaptive_classes(kinds: Kinds, classes: dict[str, Class]) -> dict[str, Class]:
    """The class by its name.

    Args:
        classes: the modules that it is made of.
    """
    used: dict[str, Any] = {name: classes[name] for name in ("Module", "Linear", "ModuleList", "Sequential")}
    used |= {"log_softmax": Native("log_softmax", kinds.functional["log_softmax"])}
    outer = {**kinds.machine.builtins, **used, **with_machine({"made_output": _made_output})}
    return run_text(kinds.machine, ADAPTIVE, outer, NAME)
