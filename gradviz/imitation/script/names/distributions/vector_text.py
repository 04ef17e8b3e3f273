"""Distributions of vectors, and those made of others, for the machine to read.

Which operations and draws there are, and in which order, is as in the files of these names in torch/distributions.
"""

from __future__ import annotations

VECTORS = """
class _Dirichlet(torch.autograd.Function):
    @staticmethod
    def forward(ctx, concentration):
        shares = sample_dirichlet(concentration)
        ctx.save_for_backward(shares, concentration)
        return shares
    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx, g):
        shares, concentration = ctx.saved_tensors
        total = concentration.sum(-1, True).expand_as(concentration)
        return dirichlet_slopes(shares, concentration, total) * (g - (shares * g).sum(-1, True))

class Dirichlet(ExponentialFamily):
    arg_constraints = {"concentration": constraints.independent(constraints.positive, 1)}
    support = constraints.simplex
    has_rsample = True
    def __init__(self, concentration, validate_args=None):
        if not concentration.dim():
            raise ValueError("`concentration` parameter must be at least one-dimensional.")
        self.concentration = concentration
        *batch_shape, count = concentration.shape
        super().__init__(batch_shape, (count,), validate_args=validate_args)
    def rsample(self, sample_shape=torch.Size()):
        return _Dirichlet.apply(*self._spread(sample_shape, self.concentration))
    def log_prob(self, value):
        x = self._checked(value)
        return (torch.xlogy(self.concentration - 1.0, x).sum(-1) + torch.lgamma(self.concentration.sum(-1))
                - torch.lgamma(self.concentration).sum(-1))
    @property
    def mean(self): return self.concentration / self.concentration.sum(-1, True)
    @property
    def mode(self):
        above_one = (self.concentration - 1).clamp(0.0)
        shares = above_one / above_one.sum(-1, True)
        corners = (self.concentration < 1).all(-1)
        shares[corners] = F.one_hot(shares[corners].argmax(-1), shares.shape[-1]).to(shares)
        return shares
    @property
    def variance(self):
        whole = self.concentration.sum(-1, True)
        return self.concentration * (whole - self.concentration) / (whole.pow(2) * (whole + 1))
    def entropy(self):
        count, whole = self.concentration.size(-1), self.concentration.sum(-1)
        return (torch.lgamma(self.concentration).sum(-1) - torch.lgamma(whole) - (count - whole) * torch.digamma(whole)
                - ((self.concentration - 1.0) * torch.digamma(self.concentration)).sum(-1))

class Beta(ExponentialFamily):
    arg_constraints = {"concentration1": constraints.positive, "concentration0": constraints.positive}
    support = constraints.unit_interval
    has_rsample = True
    def __init__(self, concentration1, concentration0, validate_args=None):
        given = concentration1, concentration0
        if all(isinstance(value, NUMBERS) for value in given):
            pair = torch.tensor([float(value) for value in given])
        else:
            pair = torch.stack(broadcast_all(*given), -1)
        self._pair = Dirichlet(pair, validate_args=validate_args)
        super().__init__(self._pair.batch_shape, validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new._pair = self._pair.expand(batch_shape)
        return new
    @property
    def concentration1(self): return self._pair.concentration[..., 0]
    @property
    def concentration0(self): return self._pair.concentration[..., 1]
    @property
    def mean(self): return self.concentration1 / (self.concentration1 + self.concentration0)
    @property
    def mode(self): return self._pair.mode[..., 0]
    @property
    def variance(self):
        whole = self.concentration1 + self.concentration0
        return self.concentration1 * self.concentration0 / (whole.pow(2) * (whole + 1))
    def rsample(self, sample_shape=()): return self._pair.rsample(sample_shape).select(-1, 0)
    def log_prob(self, value):
        x = self._checked(value)
        return self._pair.log_prob(torch.stack([x, 1.0 - x], -1))
    def entropy(self): return self._pair.entropy()

def lower_of_inverse(matrix):
    backwards = torch.flip(torch.linalg.cholesky(torch.flip(matrix, (-2, -1))), (-2, -1))
    return torch.linalg.solve_triangular(
        torch.transpose(backwards, -2, -1), torch.eye(matrix.shape[-1], dtype=matrix.dtype), upper=False)

def mahalanobis(lower, apart):
    count, points, many = apart.size(-1), apart.shape[:-1], lower.shape[:-2]
    if many.numel() != 1:
        points = torch.broadcast_shapes(points, many)
        solved = torch.linalg.solve_triangular(lower, apart.expand(points + (count,)).unsqueeze(-1), upper=False)
        return solved.squeeze(-1).pow(2).sum(-1)
    columns = apart.reshape(-1, 1, count).permute(1, 2, 0)
    solved = torch.linalg.solve_triangular(lower.reshape(-1, count, count), columns, upper=False)
    return solved.pow(2).sum(-2).t().reshape(points)

class MultivariateNormal(Distribution):
    arg_constraints = {"loc": constraints.real_vector, "covariance_matrix": constraints.positive_definite,
                       "precision_matrix": constraints.positive_definite, "scale_tril": constraints.lower_cholesky}
    support = constraints.real_vector
    has_rsample = True
    mean = mode = same_as("loc")
    lower_from = {"covariance_matrix": torch.linalg.cholesky, "precision_matrix": lower_of_inverse}
    def __init__(self, loc, covariance_matrix=None, precision_matrix=None, scale_tril=None, validate_args=None):
        if not loc.dim():
            raise ValueError("loc must be at least one-dimensional.")
        ways = {"covariance_matrix": covariance_matrix, "precision_matrix": precision_matrix, "scale_tril": scale_tril}
        given = [name for name in ways if ways[name] is not None]
        if len(given) != 1:
            raise ValueError(
                "Exactly one of covariance_matrix or precision_matrix or scale_tril may be specified.")
        name, matrix = given[0], ways[given[0]]
        if matrix.dim() < 2:
            raise ValueError(f"{name} must be at least two-dimensional, with optional leading batch dimensions")
        batch_shape = torch.broadcast_shapes(matrix.shape[:-2], loc.shape[:-1])
        setattr(self, name, matrix.expand(batch_shape + (-1, -1)))
        self.loc = loc.expand(batch_shape + (-1,))
        super().__init__(batch_shape, self.loc.shape[-1:], validate_args=validate_args)
        self._unbroadcasted_scale_tril = self.lower_from[name](matrix) if name in self.lower_from else matrix
    def _wide(self, matrix): return matrix.expand(self._batch_shape + self._event_shape + self._event_shape)
    @lazy_property
    def scale_tril(self): return self._wide(self._unbroadcasted_scale_tril)
    @lazy_property
    def covariance_matrix(self):
        return self._wide(torch.matmul(self._unbroadcasted_scale_tril, self._unbroadcasted_scale_tril.mT))
    @lazy_property
    def precision_matrix(self): return self._wide(torch.cholesky_inverse(self._unbroadcasted_scale_tril))
    @property
    def variance(self): return self._unbroadcasted_scale_tril.pow(2).sum(-1).expand(self._extended_shape())
    def rsample(self, sample_shape=torch.Size()):
        noise = standard_normal(self._extended_shape(sample_shape), self.loc).unsqueeze(-1)
        return self.loc + torch.matmul(self._unbroadcasted_scale_tril, noise).squeeze(-1)
    def _half_log_det(self): return self._unbroadcasted_scale_tril.diagonal(dim1=-2, dim2=-1).log().sum(-1)
    def log_prob(self, value):
        square = mahalanobis(self._unbroadcasted_scale_tril, self._checked(value) - self.loc)
        return -0.5 * (self._event_shape[0] * math.log(2 * math.pi) + square) - self._half_log_det()
    def entropy(self):
        nats = 0.5 * self._event_shape[0] * (1.0 + math.log(2 * math.pi)) + self._half_log_det()
        return nats.expand(self._batch_shape) if self._batch_shape else nats

class Independent(Distribution):
    arg_constraints = {}
    has_rsample, mean, mode, variance = (
        same_as("base_dist." + name) for name in ("has_rsample", "mean", "mode", "variance"))
    def __init__(self, base_distribution, reinterpreted_batch_ndims, validate_args=None):
        self.base_dist, self.reinterpreted_batch_ndims = base_distribution, reinterpreted_batch_ndims
        shape, kept = self.base_dist._extended_shape(), len(self.base_dist.batch_shape) - reinterpreted_batch_ndims
        if kept < 0:
            raise ValueError(
                "Expected reinterpreted_batch_ndims <= len(base_distribution.batch_shape), "
                f"actual {reinterpreted_batch_ndims} vs {len(self.base_dist.batch_shape)}")
        super().__init__(shape[:kept], shape[kept:], validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new.base_dist = self.base_dist.expand(new._batch_shape + self._event_shape[:self.reinterpreted_batch_ndims])
        return new
    @property
    def support(self):
        own, count = self.base_dist.support, self.reinterpreted_batch_ndims
        return constraints.independent(own, count) if count else own
    def sample(self, sample_shape=torch.Size()): return self.base_dist.sample(sample_shape)
    def rsample(self, sample_shape=torch.Size()): return self.base_dist.rsample(sample_shape)
    def log_prob(self, value): return sum_beyond(self.base_dist.log_prob(value), self.reinterpreted_batch_ndims)
    def entropy(self): return sum_beyond(self.base_dist.entropy(), self.reinterpreted_batch_ndims)
    def __repr__(self): return f"{self.__class__.__name__}({self.base_dist}, {self.reinterpreted_batch_ndims})"

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
        *batch, places = component.batch_shape
        batch, weights = torch.Size(batch), mixture.logits.shape[-1]
        if do_not_broadcast(mixture.batch_shape, batch):
            raise ValueError(
                f"`mixture_distribution.batch_shape` ({mixture.batch_shape}) is not compatible with "
                f"`component_distribution.batch_shape`({batch})")
        if weights != places:
            raise ValueError(
                f"`mixture_distribution component` ({weights}) does not equal "
                f"`component_distribution.batch_shape[-1]` ({places})")
        self.mixture_distribution, self.component_distribution = mixture, component
        self._num_component, self._event_ndims = places, len(component.event_shape)
        super().__init__(batch, component.event_shape, validate_args=validate_args)
    def expand(self, batch_shape, _instance=None):
        new = super().expand(batch_shape)
        new.component_distribution = self.component_distribution.expand(new._batch_shape + (self._num_component,))
        new.mixture_distribution = self.mixture_distribution.expand(batch_shape)
        return new
    @property
    def support(self): return constraints.MixtureSameFamilyConstraint(self.component_distribution.support)
    def _pad(self, x): return x.unsqueeze(-1 - self._event_ndims)
    def _weights(self):
        mixture, after = self.mixture_distribution, (1,) * self._event_ndims
        between = () if len(mixture.batch_shape) == 1 else (1,) * (len(self._batch_shape) - len(mixture.batch_shape))
        shape = mixture.param_shape
        return mixture.probs.reshape(shape[:-1] + between + shape[-1:] + after)
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
        each = self.component_distribution.log_prob(self._pad(self._checked(x)))
        return torch.logsumexp(each + torch.log_softmax(self.mixture_distribution.logits, dim=-1), dim=-1)
    @torch.no_grad()
    def sample(self, sample_shape=torch.Size()):
        chosen = self.mixture_distribution.sample(sample_shape)
        drawn = self.component_distribution.sample(sample_shape)
        along = chosen.dim()
        places = chosen.reshape(chosen.shape + (1,) * (1 + self._event_ndims))
        return drawn.gather(along, places.expand(chosen.shape + (1,) + self._event_shape)).squeeze(along)
    def __repr__(self): return f"MixtureSameFamily(\\n  {self.mixture_distribution},\\n  {self.component_distribution})"
"""
