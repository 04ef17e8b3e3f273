# Tagging padded sequences: CrossEntropyLoss with ignore_index, class weights, and what the loss is made of.
import torch
import torch.nn as nn
import torch.nn.functional as F

torch.manual_seed(0)
PAD = -1
tokens = torch.tensor([[1, 4, 2, 0], [3, 3, 0, 0], [5, 1, 2, 4]])
tags = torch.tensor([[0, 2, 1, PAD], [1, 1, PAD, PAD], [2, 0, 1, 2]])


class Tagger(nn.Module):
    def __init__(self, vocab, dim, n_tags):
        super().__init__()
        self.embed = nn.Embedding(vocab, dim, padding_idx=0)
        self.hidden = nn.Linear(dim, 8)
        self.out = nn.Linear(8, n_tags)

    def forward(self, x):
        return self.out(torch.relu(self.hidden(self.embed(x))))


model = Tagger(6, 4, 3)
criterion = nn.CrossEntropyLoss(ignore_index=PAD)
print(model)
print(criterion, criterion.ignore_index, criterion.reduction, criterion.label_smoothing, criterion.weight)

logits = model(tokens)
print(logits.shape)
flat = criterion(logits.view(-1, 3), tags.view(-1))
spatial = criterion(logits.transpose(1, 2), tags)
print(flat, spatial, torch.allclose(flat, spatial))
print(flat.grad_fn.name(), flat.grad_fn.next_functions[0][0].name(), len(flat.grad_fn.next_functions))
print(spatial.grad_fn.name(), spatial.grad_fn.next_functions[0][0].name())

per_token = F.cross_entropy(logits.transpose(1, 2), tags, ignore_index=PAD, reduction="none")
print(per_token)
mask = (tags != PAD).float()
print((per_token * mask).sum() / mask.sum())

by_hand = -F.log_softmax(logits, dim=-1).gather(2, tags.clamp(min=0).unsqueeze(2)).squeeze(2)
print((by_hand * mask).sum() / mask.sum())

optimizer = torch.optim.SGD(model.parameters(), lr=0.5)
for epoch in range(8):
    optimizer.zero_grad()
    loss = criterion(model(tokens).view(-1, 3), tags.view(-1))
    loss.backward()
    optimizer.step()
    if epoch % 3 == 0:
        print(f"epoch {epoch}: loss {loss.item():.4f}")
print(model.out.bias.grad)
print(model.embed.weight.grad[0])
accuracy = (model(tokens).argmax(-1) == tags)[tags != PAD].float().mean()
print("accuracy", accuracy.item())

weighted = nn.CrossEntropyLoss(weight=torch.tensor([1.0, 2.0, 0.5]), ignore_index=PAD)
print(weighted.state_dict())
print([name for name, _ in weighted.named_buffers()], list(weighted.parameters()))
loss = weighted(model(tokens).view(-1, 3), tags.view(-1))
loss.backward()
print(loss, model.out.bias.grad)

print(criterion(torch.randn(2, 3), torch.tensor([PAD, PAD])))
for target in (torch.tensor([0, 3]), torch.tensor([0, 1, 2]), torch.tensor([0.0, 1.0]), torch.tensor([[0], [1]])):
    try:
        print(criterion(torch.randn(2, 3), target))
    except (IndexError, RuntimeError, ValueError) as e:
        print(type(e).__name__, "-", e)
criterion(model(tokens), tags)
