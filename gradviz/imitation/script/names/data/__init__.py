"""`torch.utils.data`: data sets, samplers with PyTorch's own permutations, and the loader of batches."""

from __future__ import annotations

from typing import Any

from gradviz.imitation.script.machine import Machine
from gradviz.imitation.script.names.data import batches, loader, samplers, sets
from gradviz.imitation.script.values import Class, Namespace, Native


def namespace(machine: Machine) -> Namespace:
    """The names."""
    classes: dict[str, Class] = sets.classes(machine) | samplers.classes(machine)
    classes |= {"DataLoader": loader.data_loader(machine, classes)}
    members: dict[str, Any] = {
        **classes,
        "random_split": Native("random_split", sets.random_split, needs_machine=True),
        "default_collate": Native("default_collate", batches.collated, needs_machine=True),
        "default_convert": Native("default_convert", batches.converted, needs_machine=True),
        "get_worker_info": Native("get_worker_info", lambda: None),
    }
    collate = Namespace("torch.utils.data._utils.collate", {"default_collate": members["default_collate"]})
    dataset = Namespace("torch.utils.data.dataset", dict(members))
    return Namespace("torch.utils.data", {
        **members, "dataset": dataset, "dataloader": Namespace("torch.utils.data.dataloader", dict(members)),
        "distributed": Namespace(
            "torch.utils.data.distributed", {"DistributedSampler": classes["DistributedSampler"]}
        ),
        "_utils": Namespace("torch.utils.data._utils", {"collate": collate}),
        "sampler": Namespace("torch.utils.data.sampler", dict(members)),
    })  # fmt: skip
