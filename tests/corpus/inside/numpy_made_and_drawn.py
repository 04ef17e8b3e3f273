# numpy: making arrays, the old and the new random generators
import numpy as np
print(np.array([1, 2]), np.array([1., 2.5]), np.zeros((2, 3)), np.ones(2), np.eye(2), np.full((2,), 7), np.arange(5), np.arange(0, 1, 0.25), np.linspace(0, 1, 5), np.logspace(0, 2, 3), np.empty((0,)).shape, np.identity(2), np.diag([1, 2]), np.array([[1, 2], [3, 4]]).T, np.zeros_like([1, 2]), np.ones_like([1.]), np.full_like([1, 2], 3), np.array([1, 2], dtype=np.float32).dtype, np.array([True, False]), np.asarray([1]), np.tri(3), np.vander([1, 2, 3]))
X, Y = np.meshgrid(np.linspace(-1, 1, 3), np.linspace(0, 1, 2)); print(X, Y)
print(np.mgrid[0:2, 0:3], np.ogrid[0:2, 0:3], np.c_[[1, 2], [3, 4]], np.r_[1:3, 5], np.indices((2, 2)))
import numpy as np
np.random.seed(0)
print(np.random.rand(2), np.random.randn(2, 2), np.random.randint(0, 10, 5), np.random.choice([1, 2, 3], 4), np.random.permutation(5), np.random.normal(0, 1, 3), np.random.uniform(-1, 1, 2), np.random.random(2), np.random.choice(5, 3, replace=False), np.random.random_sample(1), np.random.binomial(10, 0.5, 3), np.random.exponential(1, 2), np.random.multivariate_normal([0, 0], np.eye(2), 2), np.random.standard_normal(2), np.random.beta(1, 2), np.random.poisson(3, 2), np.random.gamma(2, 1), np.random.randint(5))
a = np.arange(5); np.random.shuffle(a); print(a)
rng = np.random.default_rng(42); print(rng.random(2), rng.normal(size=2), rng.integers(0, 10, 3), rng.choice([1, 2, 3]), rng.uniform(0, 1), rng.permutation(4), rng.standard_normal(2))
rs = np.random.RandomState(3); print(rs.rand(2), rs.randn(1))
