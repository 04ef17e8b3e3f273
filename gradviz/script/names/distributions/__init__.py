"""`torch.distributions`: those that policies and variational models are written with."""

from __future__ import annotations

from typing import Any

from gradviz.script.machine import Machine
from gradviz.script.names.distributions import chances, divergence, spreads
from gradviz.script.names.distributions.base import distribution_class
from gradviz.script.names.library.making import refusal
from gradviz.script.values import Namespace, Native

MISSING = ("MultivariateNormal", "Beta", "Gamma", "Dirichlet", "Multinomial", "Poisson", "StudentT", "Independent",
           "TransformedDistribution", "MixtureSameFamily", "LogNormal", "OneHotCategorical", "Geometric")  # fmt: skip
INSTEAD = "Of torch.distributions there are Normal, Laplace, Uniform, Exponential, Categorical and Bernoulli."


def namespace(machine: Machine) -> Namespace:
    """The names."""
    base = distribution_class(machine)
    members: dict[str, Any] = {"Distribution": base, **spreads.classes(base), **chances.classes(base)}
    members |= {name: refusal(f"torch.distributions.{name}", INSTEAD) for name in MISSING}
    diverging = Native("kl_divergence", divergence.kl_divergence)
    parts = {
        cls.module.rpartition(".")[2]: Namespace(cls.module, {name: cls})
        for name, cls in members.items()
        if hasattr(cls, "module")
    }
    return Namespace("torch.distributions", {
        **parts, **members, "kl_divergence": diverging,
        "kl": Namespace("torch.distributions.kl", {"kl_divergence": diverging}),
    })  # fmt: skip
