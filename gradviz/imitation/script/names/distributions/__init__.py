"""`torch.distributions`, written in the language of scripts and read by the machine itself.

PyTorch has them in Python, and so has this: what they record are the ops that PyTorch records, and a script's own
distributions and transforms are called as theirs are. The texts are read at the first look.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from gradviz.imitation.engine.generic import OPS
from gradviz.imitation.engine.random.one_by_one import gamma
from gradviz.imitation.engine.rules.numbers.drawn_gamma import share_slopes
from gradviz.imitation.engine.tensor import Tensor, apply
from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.distributions.base_text import BASE, CONSTRAINTS
from gradviz.imitation.script.names.distributions.choices_text import CHOICES
from gradviz.imitation.script.names.distributions.cross_text import CROSS
from gradviz.imitation.script.names.distributions.derived_text import DERIVED
from gradviz.imitation.script.names.distributions.divergence_text import DIVERGENCE
from gradviz.imitation.script.names.distributions.real_text import REAL
from gradviz.imitation.script.names.distributions.transformed_text import TRANSFORMED, TRANSFORMS
from gradviz.imitation.script.names.distributions.transforms_text import MORE_TRANSFORMS
from gradviz.imitation.script.names.distributions.vector_text import VECTORS
from gradviz.imitation.script.names.library.late import Late
from gradviz.imitation.script.names.library.making import refusal, with_machine
from gradviz.imitation.script.names.library.written import run_text
from gradviz.imitation.script.values import Class, Namespace

MISSING = ("ContinuousBernoulli", "GeneralizedPareto", "Wishart")
INSTEAD = "The reference page lists the distributions that there are."
NAME = "torch.distributions"


def standard_gamma(machine: Machine, concentration: Tensor) -> Tensor:
    """Gamma numbers with rate 1; a gradient flows through them as PyTorch has it."""
    drawn = _drawn(machine, concentration.data).astype(concentration.dtype)
    drawn = np.maximum(drawn, np.finfo(concentration.dtype).tiny)[()]
    return apply(OPS["standard_gamma"], (concentration,), drawn=drawn)


def sample_dirichlet(machine: Machine, concentration: Tensor) -> Tensor:
    """Shares that add up to 1 along the last axis."""
    drawn, kind = _drawn(machine, concentration.data), concentration.dtype
    shares = (drawn / drawn.sum(-1, keepdims=True)).astype(kind)
    below_one = np.nextafter(kind.type(1), kind.type(0))
    return machine.tensor(np.minimum(np.maximum(shares, np.finfo(kind).tiny), below_one))


def dirichlet_slopes(machine: Machine, shares: Tensor, concentration: Tensor, total: Tensor) -> Tensor:
    """How each share moves with its concentration, over 1 less the share."""
    machine.spend(50 * shares.data.size)
    return machine.tensor(share_slopes(shares.data, concentration.data, total.data))


def _drawn(machine: Machine, concentration: Any) -> Any:
    machine.spend(20 * concentration.size)
    return gamma(machine.random, concentration)


def _read(machine: Machine) -> dict[str, Any]:
    torch = machine.modules["torch"].members
    outer = {
        **machine.builtins, "torch": machine.modules["torch"], "F": torch["nn"].members["functional"],
        **with_machine({
            "standard_gamma": standard_gamma, "sample_dirichlet": sample_dirichlet,
            "dirichlet_slopes": dirichlet_slopes,
        }),
    }  # fmt: skip
    made = run_text(machine, CONSTRAINTS, outer, f"{NAME}.constraints")
    constraints = Namespace(f"{NAME}.constraints", made)
    text = BASE + REAL + CHOICES + VECTORS + TRANSFORMS + MORE_TRANSFORMS + TRANSFORMED + DERIVED + DIVERGENCE + CROSS
    made = run_text(machine, text, {**outer, "constraints": constraints}, f"{NAME}.distribution")
    distribution, transform = made["Distribution"], made["Transform"]
    members = {name: cls for name, cls in made.items() if isinstance(cls, Class) and name[0] != "_"}
    parts: dict[str, dict[str, Any]] = {"transforms": {"identity_transform": made["identity_transform"]}}
    for name, cls in members.items():
        room = (
            "transforms" if cls.is_a(transform) else FILES.get(name, _file(name) if cls.is_a(distribution) else "utils")
        )
        cls.module = f"{NAME}.{room}"
        parts.setdefault(room, {})[name] = cls
    kl = {name: made[name] for name in ("kl_divergence", "register_kl")}
    parts["utils"] |= {
        name: made[name]
        for name in (
            "broadcast_all",
            "probs_to_logits",
            "logits_to_probs",
            "clamp_probs",
            "vec_to_tril_matrix",
            "tril_matrix_to_vec",
        )
    }
    inner = ("lazy_property", "ConstraintRegistry")
    registries = {name: made[name] for name in ("biject_to", "transform_to")}
    parts["constraint_registry"] |= registries
    shown = {name: value for name, value in members.items() if name not in inner} | registries
    rooms = {name: Namespace(f"{NAME}.{name}", held) for name, held in {**parts, "kl": kl}.items()}
    missing = {name: refusal(f"{NAME}.{name}", INSTEAD) for name in MISSING}
    identity = made["identity_transform"]
    return {**missing, **rooms, **shown, **kl, "constraints": constraints, "identity_transform": identity}


FILES = {
    "ConstraintRegistry": "constraint_registry", "LKJCholesky": "lkj_cholesky",
    "LogitRelaxedBernoulli": "relaxed_bernoulli",
    "FisherSnedecor": "fishersnedecor", "LowRankMultivariateNormal": "lowrank_multivariate_normal",
    "ExponentialFamily": "exp_family", "StudentT": "studentT",
    "OneHotCategoricalStraightThrough": "one_hot_categorical",
    "ExpRelaxedCategorical": "relaxed_categorical", "RelaxedOneHotCategorical": "relaxed_categorical",
}  # fmt: skip
"""Modules of PyTorch whose names are not made of their class's."""


def _file(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name).lstrip("_")


def namespace(machine: Machine) -> Late:
    """The module."""
    return Late(NAME, lambda: _read(machine))
