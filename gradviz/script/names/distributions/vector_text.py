"""Distributions of vectors, and those made of others, for the machine to read.

Sources: torch/distributions, the files of the same names, for the order of operations and draws.
"""

from __future__ import annotations

VECTORS = """
class Dirichlet(ExponentialFamily):
    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    def __init__(self, concentration, validate_args=None):
        if concentration.dim() < 1:
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        super().__init__(concentration.shape[:-1], concentration.shape[-1:], validate_args=validate_args)
    def rsample(self, sample_shape=torch.Size()):
        return sample_dirichlet(self.concentration.expand(self._extended_shape(sample_shape)))
    def log_prob(self, value):
        self._check(value)
        return (torch.xlogy(self.concentration - 1.0, value).sum(-1) + torch.lgamma(self.concentration.sum(-1))
                - torch.lgamma(self.concentration).sum(-1))
    @property
    def mean(self): return self.concentration / self.concentration.sum(-1, True)
    @property
    def mode(self):
        m1 = (self.concentration - 1).clamp(min=0.0)
        mode = m1 / m1.sum(-1, True)
        mask = (self.concentration < 1).all(dim=-1)
        mode[mask] = F.one_hot(mode[mask].argmax(dim=-1), m1.shape[-1]).to(mode)
        return mode
    @property
    def variance(self):
        con0 = self.concentration.sum(-1, True)
        return self.concentration * (con0 - self.concentration) / (con0.pow(2) * (con0 + 1))
    def entropy(self):
        k, a0 = self.concentration.size(-1), self.concentration.sum(-1)
        return (torch.lgamma(self.concentration).sum(-1) - torch.lgamma(a0) - (k - a0) * torch.digamma(a0)
                - ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1))

class Beta(ExponentialFamily):
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    def __init__(self, concentration1, concentration0, validate_args=None):
        if isinstance(concentration1, NUMBERS) and isinstance(concentration0, NUMBERS):
            both = torch.tensor([float(concentration1), float(concentration0)])
        else:
            both = torch.stack(broadcast_all(concentration1, concentration0), -1)
        self._dirichlet = Dirichlet(both, validate_args=validate_args)
        super().__init__(self._dirichlet._batch_shape, validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._dirichlet = self._dirichlet.expand(batch_shape)
        return new
    @property
    def concentration1(self): return self._of(0)
    @property
    def concentration0(self): return self._of(1)
    def _of(self, place):
        result = self._dirichlet.concentration[..., place]
        return torch.tensor([result]) if isinstance(result, NUMBERS) else result
    @property
    def mean(self): return self.concentration1 / (self.concentration1 + self.concentration0)
    @property
    def mode(self): return self._dirichlet.mode[..., 0]
    @property
    def variance(self):
        total = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (total.pow(2) * (total + 1))
    def rsample(self, sample_shape=()): return self._dirichlet.rsample(sample_shape).select(-1, 0)
    def log_prob(self, value):
        self._check(value)
        return self._dirichlet.log_prob(torch.stack([value, 1.0 - value], -1))
    def entropy(self): return self._dirichlet.entropy()

class MultivariateNormal(Distribution):
    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True
    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if loc.dim() < 1:
            raise ValueError("loc must be at least one-dimensional.")
        given = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = {name: value for name, value in given.items() if value is not None}
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        ((name, matrix),) = given.items()
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        self.loc = loc.expand(batch_shape + (-1,))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        if name == "scale_tril":
            self._unbroadcasted_scale_tril = matrix
        elif name == "covariance_matrix":
            self._unbroadcasted_scale_tril = torch.linalg.cholesky(matrix)
        else:
            self._unbroadcasted_scale_tril = self._of_precision(matrix)
    def _of_precision(self, P):
        Lf = torch.linalg.cholesky(torch.flip(P, (-2, -1)))
        L_inv = torch.transpose(torch.flip(Lf, (-2, -1)), -2, -1)
        return torch.linalg.solve_triangular(L_inv, torch.eye(P.shape[-1], dtype=P.dtype), upper=False)
    @lazy_property
    def scale_tril(self): return self._wide(self._unbroadcasted_scale_tril)
    @lazy_property
    def covariance_matrix(self):
        return self._wide(torch.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))
    @lazy_property
    def precision_matrix(self): return self._wide(torch.cholesky_inverse(self._unbroadcasted_scale_tril))
    def _wide(self, matrix): return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)
    @property
    def mean(self): return self.loc
    @property
    def mode(self): return self.loc
    @property
    def variance(self):
        return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._batch_shape + self._event_shape)
    def rsample(self, sample_shape=torch.Size()):
        eps = standard_normal(self._extended_shape(sample_shape), self.loc)
        return self.loc + torch.matmul(self._unbroadcasted_scale_tril, eps.unsqueeze(-1)).squeeze(-1)
    def log_prob(self, value):
        self._check(value)
        M = mahalanobis(self._unbroadcasted_scale_tril, value - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + M) - self._half_log_det()
    def _half_log_det(self): return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    def entropy(self):
        H = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return H if len(self._batch_shape) == 0 else H.expand(self._batch_shape)

def mahalanobis(L, x):
    n, shape, batch = x.size(-1), x.shape[:-1], L.shape[:-2]
    if len(batch) and any(size != 1 for size in batch):
        shape = torch.broadcast_shapes(shape, batch)
        return torch.linalg.solve_triangular(
            L, x.expand(shape + (n,)).unsqueeze(-1), upper=False).squeeze(-1).pow(2).sum(-1)
    flat = x.reshape(-1, 1, n).permute(1, 2, 0)
    return torch.linalg.solve_triangular(L.reshape(-1, n, n), flat, upper=False).pow(2).sum(-2).t().reshape(shape)

class Independent(Distribution):
    arg_constraints = {}
    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        n, base = reinterpreted_batch_ndims, base_distribution
        if n > len(base.batch_shape):
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {n} vs {len(base.batch_shape)}")
        shape, cut = base.batch_shape + base.event_shape, len(base.batch_shape) - n
        self.base_dist, self.reinterpreted_batch_ndims = base, n
        super().__init__(shape[:cut], shape[cut:], validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new.base_dist = self.base_dist.expand(new._batch_shape + self.event_shape[:self.reinterpreted_batch_ndims])
        return new
    @property
    def has_rsample(self): return self.base_dist.has_rsample
    @property
    def support(self):
        n = self.reinterpreted_batch_ndims
        return constraints.independent(self.base_dist.support, n) if n else self.base_dist.support
    @property
    def mean(self): return self.base_dist.mean
    @property
    def mode(self): return self.base_dist.mode
    @property
    def variance(self): return self.base_dist.variance
    def sample(self, sample_shape=torch.Size()): return self.base_dist.sample(sample_shape)
    def rsample(self, sample_shape=torch.Size()): return self.base_dist.rsample(sample_shape)
    def log_prob(self, value): return sum_rightmost(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)
    def entropy(self): return sum_rightmost(self.base_dist.entropy(), self.reinterpreted_batch_ndims)
    def __repr__(self): return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"

def _all_of(result, kept): return result.reshape(result.shape[:kept] + (-1,)).all(-1)

class MixtureSameFamily(Distribution):
    arg_constraints = {}
    def __init__(self, mixture_distribution, component_distribution, validate_args=None):
        mixture, component = mixture_distribution, component_distribution
        if not isinstance(mixture, Categorical):
            raise ValueError(
                " The Mixture distribution needs to be an  instance of torch.distributions.Categorical")
        if not isinstance(component, Distribution):
            raise ValueError(
                "The Component distribution needs to be an instance of torch.distributions.Distribution")
        batch = component.batch_shape[:-1]
        for i, j in zip(reversed(mixture.batch_shape), reversed(batch)):
            if i != 1 and j != 1 and i != j:
                raise ValueError(
                    f"`mixture_distribution.batch_shape` ({mixture.batch_shape}) is not compatible with "
                    f"`component_distribution.batch_shape`({batch})")
        km, kc = mixture.logits.shape[-1], component.batch_shape[-1]
        if km != kc:
            raise ValueError(
                f"`mixture_distribution component` ({km}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({kc})")
        self.mixture_distribution, self.component_distribution = mixture, component
        self._num_component, self._event_ndims = km, len(component.event_shape)
        super().__init__(batch, component.event_shape, validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new.component_distribution = self.component_distribution.expand(new._batch_shape + (self._num_component,))
        new.mixture_distribution = self.mixture_distribution.expand(batch_shape)
        return new
    @property
    def support(self):
        base, pad = self.component_distribution.support, self._pad
        return constraints._Rule(lambda: f"MixtureSameFamilyConstraint({base!r})",
                                 lambda x: _all_of(base.check(pad(x)), x.dim() - base.event_dim))
    def _pad(self, x): return x.unsqueeze(-1 - self._event_ndims)
    def _weights(self):
        x = self.mixture_distribution.probs
        own, batch = len(self.mixture_distribution.batch_shape), len(self.batch_shape)
        between = 0 if own == 1 else batch - own
        return x.reshape(x.shape[:-1] + torch.Size(between * [1]) + x.shape[-1:] + torch.Size(self._event_ndims * [1]))
    @property
    def mean(self): return torch.sum(self._weights() * self.component_distribution.mean, dim=-1 - self._event_ndims)
    @property
    def variance(self):
        probs, at = self._weights(), -1 - self._event_ndims
        within = torch.sum(probs * self.component_distribution.variance, dim=at)
        apart = (self.component_distribution.mean - self._pad(self.mean)).pow(2.0)
        return within + torch.sum(probs * apart, dim=at)
    def cdf(self, x):
        return torch.sum(self.component_distribution.cdf(self._pad(x)) * self.mixture_distribution.probs, dim=-1)
    def log_prob(self, x):
        if self._validate_args:
            self._validate_sample(x)
        each = self.component_distribution.log_prob(self._pad(x))
        weights = torch.log_softmax(self.mixture_distribution.logits, dim=-1)
        return torch.logsumexp(each + weights, dim=-1)
    def sample(self, sample_shape=torch.Size()):
        with torch.no_grad():
            dim = len(sample_shape) + len(self.batch_shape)
            chosen = self.mixture_distribution.sample(sample_shape)
            drawn = self.component_distribution.sample(sample_shape)
            places = chosen.reshape(chosen.shape + torch.Size([1] * (self._event_ndims + 1)))
            places = places.repeat(torch.Size([1] * len(chosen.shape)) + torch.Size([1]) + self.event_shape)
            return torch.gather(drawn, dim, places).squeeze(dim)
    def __repr__(self): return f"MixtureSameFamily(\\n  {self.mixture_distribution},\\n  {self.component_distribution})"
"""
