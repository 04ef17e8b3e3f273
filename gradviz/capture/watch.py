"""Waits for the step of a long training where something goes wrong, and writes exactly that one.

    with gradviz.Watch(when="nan", path="bad.gradviz"):
        for batch in loader:
            ...

Every step is recorded and let go of, until one is as described; then its file is written, and the rest of the training
runs without the recorder.
"""

from __future__ import annotations

import os
import re
import sys
from types import FrameType
from typing import Any, Callable, Union

import torch

from gradviz.capture.document import Document
from gradviz.capture.filters import Filter
from gradviz.capture.forward import Event, Leaf
from gradviz.capture.gradients import Pass, is_not_finite
from gradviz.capture.keep import Kept
from gradviz.capture.recorder import Recorder
from gradviz.trace.births import INF, NAN, Birth, births_in, first_of

When = Union[str, Callable[[Pass], bool]]


class Watch:
    """A context around a training, or a callback of a trainer (`for_lightning`, `for_transformers`).

    It listens to the thread that enters it. A step that is as described is written; every other is let go of.

    Args:
        when: "nan": a loss or a gradient of a leaf is not finite; "norm > 100": the norm of all gradients of leaves
            together; "step 37": that backward call, counted from 0; or a function that is given a backward pass.
        keep: how many steps are written at most, each to a file of its own.
        path: of the file; "{step}" and "{rank}" stand for their numbers. Without "{step}" the number is put before the
            suffix from the second file on.
        megabytes, summary_above, filter: how much of a step is kept, as of `gradviz.capture`.

    Attributes:
        written: the paths of the files.
        steps: backward calls that were seen.

    Raises:
        ValueError: `when` says nothing that can be watched for, or nothing may be kept.

    Example:
        >>> with gradviz.Watch("nan", path="bad.gradviz") as watch:  # doctest: +SKIP
        ...     train(model, loader)
        >>> watch.written  # doctest: +SKIP
        ['bad.gradviz']
    """

    def __init__(
        self,
        when: When = "nan",
        keep: int = 1,
        path: Union[str, os.PathLike[str]] = "bad.gradviz",  # noqa: UP007 # read by Python 3.9
        *,
        megabytes: float = 1_000,
        summary_above: int | None = None,
        filter: Filter | None = None,
    ) -> None:
        self._when, self._step = condition(when) if isinstance(when, str) else (when, None)
        if keep < 1:
            raise ValueError(f"keep is {keep}, but at least one step must be written: give 1 or more.")
        self.keep, self.path = keep, os.fspath(path)
        self._options: dict[str, Any] = {"megabytes": megabytes, "summary_above": summary_above, "filter": filter}
        Recorder(**self._options)  # what cannot be kept is refused now, and not in the middle of a training
        self._recorder: Recorder | None = None
        self.written: list[str] = []
        self.steps = 0

    def __enter__(self) -> Watch:
        self.start(sys._getframe(1))
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self, frame: FrameType | None = None) -> None:
        """Begin to watch; `frame` is the one that the training runs in, where that is known."""
        if self._recorder is None and len(self.written) < self.keep:
            self._recorder = Recorder(**self._options)
            self._recorder.on_pass = self._look
            self._recorder.begin(frame)

    def stop(self) -> None:
        """Watch no longer."""
        recorder, self._recorder = self._recorder, None
        if recorder is not None:
            recorder.end()

    def _look(self, recorder: Recorder, made: Pass) -> None:
        """A backward pass has ended."""
        step = self.steps
        self.steps += 1
        is_it = step == self._step if self._step is not None else self._when is not None and self._when(made)
        if is_it:
            recorder.problem = self._problem(recorder, made)
            if recorder.rank is not None:
                recorder.rank["step"] = step
            path = self._path(step, recorder)
            recorder.save(path)
            recorder.problem = None
            self.written.append(path)
        recorder.passes.clear()
        if len(self.written) >= self.keep:
            self.stop()

    def _path(self, step: int, recorder: Recorder) -> str:
        rank = 0 if recorder.rank is None else recorder.rank["rank"]
        path: str = self.path.replace("{step}", str(step)).replace("{rank}", str(rank))
        if self.written and "{step}" not in self.path:
            start, suffix = os.path.splitext(path)
            path = f"{start}-{len(self.written) + 1}{suffix}"
        return path

    @staticmethod
    def _problem(recorder: Recorder, made: Pass) -> dict[str, Any] | None:
        """The node where the first number that is not finite was made, if there is one."""
        with torch.no_grad():
            document = Document(recorder, lambda kept: kept)
            birth = born(document, made)
        if birth is None:
            return None
        where, node = document.wheres[birth.node], document.nodes[birth.node]
        kind = "NaN" if birth.kind == NAN else "infinity"
        if node["is_leaf"] and not birth.is_backward:
            message = f"{kind[:1].upper()}{kind[1:]} is in {node['name'] or 'this tensor'} when the step begins."
            hint = "It was written there before: by an update of the step before, or with the data."
        else:
            way = "on the way back" if birth.is_backward else "in the forward pass"
            message = f"The first {kind} comes into being here, {way}."
            hint = f"What goes into this node has no {kind}."
        return {
            "message": message, "hint": hint, "line": where.line, "column": None, "file": where.file,
            "node": birth.node, "ended": False,
        }  # fmt: skip

    # ---- trainers --------------------------------------------------------------------------------------------------

    def for_lightning(self) -> Any:
        """A callback for Lightning's Trainer.

        Raises:
            ModuleNotFoundError: Lightning is not installed.
        """
        try:
            from lightning.pytorch import Callback
        except ModuleNotFoundError:
            from pytorch_lightning import Callback
        watch = self

        class WatchCallback(Callback):
            """Watches from the first batch to the last."""

            def on_train_start(self, *_: Any) -> None:
                watch.start()

            def on_train_end(self, *_: Any) -> None:
                watch.stop()

            def on_exception(self, *_: Any) -> None:
                watch.stop()

        return WatchCallback()

    def for_transformers(self) -> Any:
        """A callback for Hugging Face's Trainer.

        Raises:
            ModuleNotFoundError: transformers is not installed.
        """
        from transformers import TrainerCallback

        watch = self

        class WatchCallback(TrainerCallback):
            """Watches from the first step to the last."""

            def on_train_begin(self, *_: Any, **__: Any) -> None:
                watch.start()

            def on_train_end(self, *_: Any, **__: Any) -> None:
                watch.stop()

        return WatchCallback()


def condition(text: str) -> tuple[Callable[[Pass], bool] | None, int | None]:
    """(what is asked of every pass, or the number of the one that is meant).

    Raises:
        ValueError: the text says neither.
    """
    if text.strip().lower() == "nan":
        return is_not_finite, None
    step = re.fullmatch(r"\s*step\s*=*\s*(\d+)\s*", text)
    if step:
        return None, int(step[1])
    norm = re.fullmatch(r"\s*norm\s*>\s*([0-9.eE+-]+)\s*", text)
    try:
        bound = float(norm[1]) if norm else None
    except ValueError:
        bound = None
    if bound is None:
        raise ValueError(f'when is {text!r}: give "nan", "norm > 100", "step 37", or a function of a backward pass.')
    most = bound
    return (lambda made: not gradient_norm(made) <= most), None


def gradient_norm(made: Pass) -> float:
    """Of all that came to leaves, taken together."""
    total = 0.0
    for step in made.steps:
        if step.where.__class__ is Leaf:
            for kept in step.came:
                if kept is not None:
                    norm = kept.summary[0] if kept.summary else _norm(kept)
                    total += norm * norm
    return float(total**0.5)


def _norm(kept: Kept) -> float:
    tensor = kept.tensor
    return 0.0 if tensor is None else float(torch.linalg.vector_norm(tensor.to(torch.float64)))


def born(document: Document, made: Pass) -> Birth | None:
    """Where the first NaN of a pass was made, or else the first infinity; None where all is finite.

    It is the search of the window (`gradviz.trace.births`), over the very nodes that the file has.
    """
    built = document.build()
    call = next((at for at, each in enumerate(built["backward"]) if each["number"] == made.number), None)
    if call is None:
        return None

    def is_elementwise(node: int) -> bool:
        where = document.wheres[node]
        return where.__class__ is Event and where.op is not None and where.op.is_elementwise

    found: Birth | None = first_of(births_in(built, _Eye(), call, is_elementwise))
    return found


class _Eye:
    """Looks at what was kept of tensors."""

    def has(self, kept: Kept | None, kind: str) -> bool:
        """Whether one of a kind is among its numbers."""
        if kept is None:
            return False
        if kept.tensor is None or kept.reason:
            if not kept.summary and kept.tensor is not None:
                return bool(_is(kept.tensor, kind).any())
            return bool(kept.summary and kept.summary[3 if kind == NAN else 4])
        return bool(_is(kept.tensor, kind).any())

    def mask(self, kept: Kept | None, kind: str) -> Any:
        """Where those of a kind are."""
        return None if kept is None or kept.tensor is None or kept.reason else _is(kept.tensor, kind)

    def fits(self, kept: Kept | None, shape: Any) -> bool:
        """Whether all of it is known and broadcasts to a shape."""
        if kept is None or kept.tensor is None or kept.reason or len(kept.shape) > len(shape):
            return False
        return all([size in (1, wanted) for size, wanted in zip(reversed(kept.shape), reversed(shape))])


def _is(tensor: Any, kind: str) -> Any:
    return torch.isinf(tensor) if kind == INF else torch.isnan(tensor)
