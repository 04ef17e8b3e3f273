"""Calls of distributions, as learners write them, right and wrong; `z` is two zeros, `w` a leaf of two numbers."""

from __future__ import annotations

from typing import Any

CALLS = """
Normal(0.0, 1.0)
Normal(z, 1.0)
Normal(z, z + 1)
Normal(torch.tensor(0.0), torch.tensor(-1.0))
Normal(0.0, -1.0)
Normal(0, 1).sample()
Categorical(torch.tensor([-0.1, 1.1]))
Categorical(torch.tensor([0.2, 0.3]))
Categorical(torch.tensor([0.2, 0.3])).probs
Categorical(torch.tensor([0.2, 0.3])).logits
Categorical(logits=torch.tensor([1.0, 2.0]))
Categorical(logits=torch.tensor([1.0, 2.0])).logits
Categorical(logits=torch.tensor([1.0, 2.0])).probs
Categorical(logits=torch.tensor([[1.0, 2.0]]))
Categorical()
Categorical(torch.tensor([0.5, 0.5]), torch.tensor([1.0, 1.0]))
Categorical(torch.tensor(0.5))
Bernoulli(0.3)
Bernoulli(torch.tensor([0.3, 0.5]))
Bernoulli(torch.tensor([0.3]))
Bernoulli(logits=torch.tensor(1.0))
Bernoulli(2.0)
Bernoulli(torch.tensor([2.0]))
Bernoulli()
Bernoulli(0.5, 1.0)
Normal(0.0, 1.0).log_prob(0.0)
Normal(0.0, 1.0).log_prob(torch.tensor(float('nan')))
Bernoulli(0.3).log_prob(torch.tensor(0.5))
Categorical(torch.tensor([0.2, 0.8])).log_prob(torch.tensor(2))
Categorical(torch.tensor([0.2, 0.8])).log_prob(torch.tensor(1.5))
Categorical(torch.tensor([0.2, 0.8])).log_prob(torch.tensor(1))
Categorical(torch.tensor([[0.2, 0.8], [0.5, 0.5]])).log_prob(torch.tensor([1, 0]))
Categorical(torch.tensor([[0.2, 0.8], [0.5, 0.5]])).log_prob(torch.tensor([[1, 0], [0, 0], [1, 1]]))
Categorical(torch.tensor([[0.2, 0.8], [0.5, 0.5]])).log_prob(torch.tensor(1))
Categorical(torch.tensor([0.2, 0.8])).log_prob(torch.tensor([1, 0, 0]))
Categorical(torch.tensor([0.2, 0.8])).log_prob(1)
Normal(z, 1.0).sample((3,))
Normal(z, 1.0).sample(torch.Size([20]))
Normal(z, 1.0).sample(3)
Normal(z, 1.0).rsample()
Normal(z + 1.0, z + 2).rsample((20,))
Bernoulli(0.3).rsample()
Bernoulli(z + 0.5).sample((5,))
Categorical(torch.tensor([0.2, 0.8])).sample()
Categorical(torch.tensor([0.2, 0.8])).sample((7,))
Categorical(torch.tensor([[0.2, 0.8], [0.5, 0.5]])).sample()
Categorical(torch.tensor([[0.2, 0.8], [0.5, 0.5]])).sample((3, 2))
Categorical(torch.tensor([[0.2, 0.8], [0.5, 0.5]])).sample((3,)).shape
Normal(z, 1.0).batch_shape
Normal(z, 1.0).event_shape
kl_divergence(Normal(0.0, 1.0), Normal(1.0, 2.0))
kl_divergence(Normal(z, 1.0), Normal(1.0, 2.0))
kl_divergence(Bernoulli(0.3), Bernoulli(0.6))
kl_divergence(Bernoulli(0.0), Bernoulli(0.6))
kl_divergence(Categorical(torch.tensor([0.2, 0.8])), Categorical(torch.tensor([0.5, 0.5])))
kl_divergence(Categorical(torch.tensor([0.0, 1.0])), Categorical(torch.tensor([0.5, 0.5])))
kl_divergence(Categorical(torch.tensor([0.5, 0.5])), Categorical(torch.tensor([0.0, 1.0])))
Normal(z, 1.0).has_rsample
Categorical(torch.ones(3)).entropy()
Categorical(torch.tensor([0.0, 1.0])).entropy()
Normal(0.0, 1.0).cdf(torch.tensor(1.0))
Normal(0.0, 2.0).entropy()
Normal(0.0, 2.0).variance
Normal(0.0, 2.0).stddev
Bernoulli(0.3).entropy()
Bernoulli(0.3).log_prob(torch.tensor(1.0))
Bernoulli(logits=z + 2).log_prob(z + 1)
Bernoulli(0.0).log_prob(torch.tensor(1.0))
Bernoulli(0.3).stddev
Normal(0.0, 1.0).support
Categorical(torch.ones(3)).support
Bernoulli(0.3).variance
Bernoulli(0.3).logits
Normal(z, torch.ones(3))
Normal(z, 1.0).log_prob(torch.zeros(3))
Categorical(torch.tensor([1.0, float('nan')]))
Categorical(torch.tensor([0.0, 0.0]))
Normal(float('nan'), 1.0)
Normal(z, z)
Normal(0.0, -1.0, validate_args=False)
Normal(w, w.exp()).log_prob(z)
Normal(w, w.exp()).entropy()
Normal(w, w.exp()).rsample()
Normal(w, w.exp()).variance
Normal(w, w.exp()).cdf(z)
torch.autograd.grad(Normal(w, w.exp()).log_prob(z).sum(), [w])
torch.autograd.grad(Normal(w, w.exp()).rsample().sum(), [w])
torch.autograd.grad(kl_divergence(Normal(w, w.exp()), Normal(0.0, 1.0)).sum(), [w])
torch.autograd.grad(Categorical(logits=w).log_prob(torch.tensor(1)), [w])
torch.autograd.grad(Categorical(logits=w).entropy(), [w])
torch.autograd.grad(Categorical(w.softmax(0)).entropy(), [w])
torch.autograd.grad(Bernoulli(logits=w).log_prob(z).sum(), [w])
torch.autograd.grad(Bernoulli(w.sigmoid()).log_prob(z).sum(), [w])
torch.autograd.grad(Bernoulli(w.sigmoid()).entropy().sum(), [w])
Categorical(logits=w).log_prob(torch.tensor(1))
Categorical(logits=w).entropy()
Bernoulli(logits=w).log_prob(z)
Categorical(w.softmax(0)).log_prob(torch.tensor(1))
""".strip().splitlines()

NAMES = ("Normal", "Categorical", "Bernoulli", "kl_divergence")


def answer(library: Any, call: str) -> str:
    """What a call gives: its result as text, or its error; random numbers are those of seed 0."""
    library.manual_seed(0)
    names = {name: getattr(library.distributions, name) for name in NAMES}
    names |= {"torch": library, "z": library.zeros(2), "w": library.tensor([0.3, -0.7], requires_grad=True)}
    try:
        return repr(eval(call, names))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
