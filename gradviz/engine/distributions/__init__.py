"""`torch.distributions`: those that learners meet, and the divergence of two of them."""

from gradviz.engine.distributions.bernoulli import Bernoulli
from gradviz.engine.distributions.beta import Beta
from gradviz.engine.distributions.categorical import Categorical
from gradviz.engine.distributions.distribution import Distribution
from gradviz.engine.distributions.divergence import kl_divergence
from gradviz.engine.distributions.multivariate_normal import MultivariateNormal
from gradviz.engine.distributions.normal import Normal
from gradviz.engine.known import missing_of

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Distribution",
    "MultivariateNormal",
    "Normal",
    "kl_divergence",
]

for _kind in (Bernoulli, Beta, Categorical, Distribution, MultivariateNormal, Normal):
    _kind.__module__ = _kind.__module__.replace("gradviz.engine", "torch")  # what print(type(distribution)) shows


__getattr__ = missing_of("torch.distributions")
