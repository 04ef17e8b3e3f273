# Softmax and cross entropy by hand
# Watch: The loss is taken apart into exp, sum, log and one picked element.
# Watch: Two paths come back to the scores, one from the picked score and one through the sum.
# Watch: Together they are the probabilities minus 1 at the right class.
import torch

scores = torch.tensor([2.0, 1.0, 0.1], requires_grad=True)
right = 0

loss = torch.log(torch.exp(scores).sum()) - scores[right]
loss.backward()

probabilities = torch.softmax(scores.detach(), dim=0)
print("loss          =", f"{loss.item():.4f}")
print("in one call   =", f"{-torch.log_softmax(scores.detach(), dim=0)[right].item():.4f}")
print("probabilities =", probabilities)
print("scores.grad   =", scores.grad)
