# -*- coding: utf-8 -*-
# Descenso de gradiente: ajuste de una parábola  (ejemplo de clase)
import torch
import matplotlib.pyplot as plt

torch.manual_seed(8)
t = torch.linspace(0, 4, 30)
velocidad = torch.randn(30) * 0.1 + 0.5 * (t - 2) ** 2 + 1

def f(t, params):
    a, b, c = params
    return a * (t ** 2) + (b * t) + c

def mse(preds, objetivo):
    return ((preds - objetivo) ** 2).mean().sqrt()

params = torch.zeros(3).requires_grad_()
tasa = 1e-2
def paso(params, prn=True):
    preds = f(t, params)
    perdida = mse(preds, velocidad)
    perdida.backward()
    params.data -= tasa * params.grad.data
    params.grad = None
    if prn: print(f'{perdida.item():.4f}')
    return preds
for i in range(8):
    paso(params, prn=i % 2 == 0)
print('año', params.shape, params.requires_grad)
plt.plot(t, velocidad)
plt.plot(t, f(t, params).detach().numpy())
plt.title('Ajuste')
plt.show()
