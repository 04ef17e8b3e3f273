"""The rooms behind the window, each loaded when it is first needed: the runs of scripts and the layout engines.

A window without an engine, which only plays recordings from files, has no host; it says so when a script is to be run.
"""

from __future__ import annotations

import gc
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from gradviz.errors import GradvizError
from gradviz.recording import Recording

if TYPE_CHECKING:
    from gradviz.layout.layouter import Layouter
    from gradviz.layout.plan import Floats, Layout
    from gradviz.playback.track import Track
    from gradviz.run.host import Host
    from gradviz.ui.canvas.scene.scene import Scene
    from gradviz.ui.session.picture import Errand
    from gradviz.ui.session.session import RunLike, WithPyTorch
    from gradviz.ui.session.supposing import Recalculates


class Rooms:
    """What a session is given to work with."""

    def __init__(self) -> None:
        self._layouter: Layouter | None = None
        self._lock = threading.Lock()
        self._host = _new_host()

    @property
    def can_run(self) -> bool:
        """Whether scripts can be run here at all."""
        return self._host is not None

    def warm(self) -> None:
        """Load the rooms in a thread of their own, while the user looks at the start page."""
        threading.Thread(target=self._load, name="warm", daemon=True).start()

    def interpret(
        self,
        text: str,
        name: str,
        cancelled: Callable[[], bool],
        kind: str = "script",
        *,
        folder: str = "",
        on_output: Callable[[str], None] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> RunLike:
        """Run a script, or the cells of a notebook; in a worker thread.

        There is no time limit, since there is a button Stop; a newer text ends it too.

        Args:
            text: the script.
            name: of its file.
            cancelled: says whether nobody wants it any more.
            kind: "script" or "notebook".
            folder: of its file, whose modules and files it may read; "" where it has none.
            on_output: is given what it prints, as it prints.
            on_progress: is given the share that is done.

        Raises:
            GradvizError: it was ended, or its process was; or there is no engine.
        """
        if self._host is None:
            raise GradvizError(
                "scripts cannot be run here: this gradviz has no engine and only shows recordings",
                hint="Install the whole gradviz to run them.",
            )
        from gradviz.run.job import Job, Limits  # where there is a host

        job = Job(text, name, kind, Limits(seconds=None), echo_last=True, folder=folder)
        run = self._host.run(job, on_output=on_output, on_progress=on_progress, cancelled=cancelled)
        _ = run.recording  # is unpacked here, not in the window's thread
        return run

    def run_pytorch(
        self,
        text: str,
        name: str,
        wish: WithPyTorch,
        cancelled: Callable[[], bool],
        stopping: Callable[[], bool],
        *,
        kind: str = "script",
        path: Path | None = None,
        on_output: Callable[[str], None] | None = None,
        on_progress: Callable[[float], None] | None = None,
    ) -> RunLike:
        """Run a script with the user's own PyTorch; in a worker thread. There is no time limit.

        Args:
            text: the script.
            name: of its file.
            wish: in which Python, and with which arguments and folder.
            cancelled: says whether nobody wants it any more.
            stopping: says whether it is to end, with what was recorded until then.
            kind: "script" or "notebook".
            path: its file, or None.
            on_output: is given what it prints, and what it says beside that, as it comes.
            on_progress: is given the share that is done.

        Raises:
            GradvizError: it was ended, or that Python cannot run it.
        """
        from gradviz.run.pytorch import Script, run_with_pytorch  # where there is a host

        script = Script(text, name, kind, path, wish.args, wish.folder, echo_last=True)
        return run_with_pytorch(
            script, wish.python, on_output=on_output, on_progress=on_progress, cancelled=cancelled, stopping=stopping
        )

    def revive(self, recording: Recording) -> RunLike | None:
        """A loaded recording as a run, so that other seeds can be tried on it; None where there is no engine."""
        if self._host is None:
            return None
        from gradviz.run.over import EndedRun  # late: a window without an engine does without this room

        return EndedRun(recording)

    def recalculate(self, recording: Recording, ask: Callable[[str, object], object] | None = None) -> Recalculates:
        """What applies what-ifs to a recording; `ask` asks the run that left it."""
        from gradviz.graph.what_if import Recalculation  # late: it brings the engine

        return Recalculation(recording, ask)

    def measure(self, track: Track) -> Floats:
        """Width and height of every box of the picture; in a worker thread."""
        from gradviz.ui.canvas.scene.measure import box_sizes

        return box_sizes(track)

    def lay_out(self, track: Track, sizes: Floats, direction: str, errand: Errand) -> Layout:
        """Place boxes of those sizes, near to where they were before; in a worker thread."""
        from gradviz.layout.graph import request_of
        from gradviz.layout.near import near_to

        request, near = request_of(track, sizes, direction), None
        if errand.old is not None and errand.was is not None:
            near = near_to(errand.old, errand.was, request)
        return self._ready_layouter().lay_out(request, errand, errand.tell, near)

    def prepare(self, track: Track, layout: Layout) -> Scene:
        """What the canvas shows of a track in its places, ready to be drawn at any scale; in a worker thread."""
        from gradviz.ui.canvas.scene.scene import Scene

        scene = Scene(track, layout)
        scene.prepare()
        return scene

    def _ready_layouter(self) -> Layouter:
        from gradviz.layout.layouter import Layouter

        with self._lock:
            if self._layouter is None:
                self._layouter = Layouter()
            return self._layouter

    def _load(self) -> None:
        if self._host is not None:
            self._host.warm()
        with suppress(ImportError):  # what is missing is told when it is needed
            import networkx as nx  # noqa: F401

            self._ready_layouter().prepare()
        import gradviz.ui.canvas.canvas  # noqa: F401

        # Of a hundred thousand objects most are the app itself: to look through them took four images' time, now and
        # then in the midst of stepping.
        gc.freeze()

    def close(self) -> None:
        """End what the host and the layouter started."""
        if self._host is not None:
            self._host.close()
        if self._layouter is not None:
            self._layouter.close()


def _new_host() -> Host | None:
    """What runs scripts, or None where that part of gradviz is not installed."""
    try:
        from gradviz.run.host import Host
    except ImportError:
        return None
    return Host()
