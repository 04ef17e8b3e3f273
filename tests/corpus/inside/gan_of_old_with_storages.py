# GAN on a 1-D gaussian, the "50 lines" style
import numpy as np
import torch, torch.nn as nn, torch.optim as optim
from torch.autograd import Variable

torch.manual_seed(999)
np.random.seed(999)

data_mean, data_stddev = 4, 1.25
(name, preprocess, d_input_func) = ("Data and variances", lambda data: decorate_with_diffs(data, 2.0), lambda x: x * 2)

def get_distribution_sampler(mu, sigma):
    return lambda n: torch.Tensor(np.random.normal(mu, sigma, (1, n)))

def get_generator_input_sampler():
    return lambda m, n: torch.rand(m, n)

class Generator(nn.Module):
    def __init__(self, input_size, hidden_size, output_size, f):
        super(Generator, self).__init__()
        self.map1 = nn.Linear(input_size, hidden_size)
        self.map2 = nn.Linear(hidden_size, hidden_size)
        self.map3 = nn.Linear(hidden_size, output_size)
        self.f = f

    def forward(self, x):
        x = self.map1(x)
        x = self.f(x)
        x = self.map2(x)
        x = self.f(x)
        x = self.map3(x)
        return x

class Discriminator(nn.Module):
    def __init__(self, input_size, hidden_size, output_size, f):
        super(Discriminator, self).__init__()
        self.map1 = nn.Linear(input_size, hidden_size)
        self.map2 = nn.Linear(hidden_size, hidden_size)
        self.map3 = nn.Linear(hidden_size, output_size)
        self.f = f

    def forward(self, x):
        x = self.f(self.map1(x))
        x = self.f(self.map2(x))
        return self.f(self.map3(x))

def extract(v):
    return v.data.storage().tolist()

def stats(d):
    return [np.mean(d), np.std(d)]

def get_moments(d):
    mean = torch.mean(d)
    diffs = d - mean
    var = torch.mean(torch.pow(diffs, 2.0))
    std = torch.pow(var, 0.5)
    zscores = diffs / std
    skews = torch.mean(torch.pow(zscores, 3.0))
    kurtoses = torch.mean(torch.pow(zscores, 4.0)) - 3.0
    final = torch.cat((mean.reshape(1,), std.reshape(1,), skews.reshape(1,), kurtoses.reshape(1,)))
    return final

def decorate_with_diffs(data, exponent, remove_raw_data=False):
    mean = torch.mean(data.data, 1, keepdim=True)
    mean_broadcast = torch.mul(torch.ones(data.size()), mean.tolist()[0][0])
    diffs = torch.pow(data - Variable(mean_broadcast), exponent)
    if remove_raw_data:
        return torch.cat([diffs], 1)
    else:
        return torch.cat([data, diffs], 1)

def train():
    g_input_size, g_hidden_size, g_output_size = 1, 5, 1
    d_input_size, d_hidden_size, d_output_size = 50, 10, 1
    minibatch_size = d_input_size
    d_learning_rate, g_learning_rate, sgd_momentum = 1e-3, 1e-3, 0.9
    num_epochs, print_interval, d_steps, g_steps = 6, 2, 2, 2
    d_sampler = get_distribution_sampler(data_mean, data_stddev)
    gi_sampler = get_generator_input_sampler()
    G = Generator(g_input_size, g_hidden_size, g_output_size, torch.tanh)
    D = Discriminator(4, d_hidden_size, d_output_size, torch.sigmoid)
    criterion = nn.BCELoss()
    d_optimizer = optim.SGD(D.parameters(), lr=d_learning_rate, momentum=sgd_momentum)
    g_optimizer = optim.SGD(G.parameters(), lr=g_learning_rate, momentum=sgd_momentum)
    for epoch in range(num_epochs):
        for d_index in range(d_steps):
            D.zero_grad()
            d_real_data = Variable(d_sampler(d_input_size))
            d_real_decision = D(get_moments(preprocess(d_real_data)))
            d_real_error = criterion(d_real_decision, Variable(torch.ones([1])))
            d_real_error.backward()
            d_gen_input = Variable(gi_sampler(minibatch_size, g_input_size))
            d_fake_data = G(d_gen_input).detach()
            d_fake_decision = D(get_moments(preprocess(d_fake_data.t())))
            d_fake_error = criterion(d_fake_decision, Variable(torch.zeros([1])))
            d_fake_error.backward()
            d_optimizer.step()
            dre, dfe = extract(d_real_error)[0], extract(d_fake_error)[0]
        for g_index in range(g_steps):
            G.zero_grad()
            gen_input = Variable(gi_sampler(minibatch_size, g_input_size))
            g_fake_data = G(gen_input)
            dg_fake_decision = D(get_moments(preprocess(g_fake_data.t())))
            g_error = criterion(dg_fake_decision, Variable(torch.ones([1])))
            g_error.backward()
            g_optimizer.step()
            ge = extract(g_error)[0]
        if epoch % print_interval == 0:
            print("Epoch %s: D (%.4f real_err, %.4f fake_err) G (%.4f err); Real Dist (%s),  Fake Dist (%s) " %
                  (epoch, dre, dfe, ge, ["%.3f" % s for s in stats(extract(d_real_data))], ["%.3f" % s for s in stats(extract(d_fake_data))]))
    print(G, D)
    print(d_optimizer.state_dict()['state'][0]['momentum_buffer'].shape, len(d_optimizer.state))

train()
