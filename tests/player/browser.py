"""A headless Chromium, driven by its DevTools protocol over a pair of pipes. Needs no library."""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "headless_shell")
PATIENCE_S = 60

_WIRED = """
import os, sys
# By way of numbers that neither has, since the one may be 4 or the other 3.
for end, number in zip(map(int, sys.argv[1:3]), (203, 204)):
    os.dup2(end, number)
for number in (3, 4):
    os.dup2(number + 200, number)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Runs a program that reads from descriptor 3 and writes to 4."""


def found() -> str | None:
    """The path of a Chromium on this machine, or None."""
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Tab:
    """One page of a browser.

    Attributes:
        requests: the addresses that the page asked for, in order.
        errors: what went wrong in the page: exceptions, and what its policy refused.
    """

    def __init__(self, browser: Browser, target: str) -> None:
        self._browser = browser
        self.requests: list[str] = []
        self.errors: list[str] = []
        self._session = browser.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.ask(f"{domain}.enable")

    def ask(self, method: str, **given: Any) -> dict[str, Any]:
        """Call a method of the protocol in this page."""
        return self._browser.ask(method, self._session, self, **given)

    def open(self, file: Path | str, *, width: int = 1200, height: int = 800, dark: bool = False) -> None:
        """Open a file, with an optional fragment, and wait until the player has begun."""
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        calm = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.ask("Emulation.setEmulatedMedia", features=[scheme, calm])
        self.ask("Page.navigate", url="about:blank")
        address = file.as_uri() if isinstance(file, Path) else file
        self.requests.clear()
        self.errors.clear()
        self.ask("Page.navigate", url=address)
        self.wait("document.documentElement?.dataset.opened")

    def frame(self) -> Tab:
        """The sandboxed page in a frame of this one, once its player has begun."""
        end = time.monotonic() + PATIENCE_S
        while time.monotonic() < end:
            self.run("1")
            targets = self._browser.ask("Target.getTargets")["targetInfos"]
            found = [each["targetId"] for each in targets if each["type"] == "iframe"]
            if found:
                inner = Tab(self._browser, found[0])
                inner.wait("document.documentElement?.dataset.opened")
                return inner
        raise AssertionError(f"waited {PATIENCE_S} s in vain for a frame")

    def go(self, fragment: str) -> None:
        """Change what stands behind the # of the address, and wait until the player has opened it."""
        before = self.run("document.documentElement.dataset.opened")
        self.run(f"void (location.hash = {json.dumps(fragment)})")
        self.wait(f"document.documentElement.dataset.opened !== {json.dumps(before)}")

    def wait(self, condition: str) -> None:
        """Wait until something holds in the page; too long is an error."""
        look = f"{condition} ? done(true) : Date.now() > end ? done(false) : setTimeout(look, 2)"
        held = self.run(
            f"new Promise(done => {{ const end = Date.now() + {PATIENCE_S * 1000}; const look = () => {look}; look(); }})"
        )
        assert held, f"waited {PATIENCE_S} s in vain for {condition}"

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def texts(self, selector: str) -> list[str]:
        """The texts of all elements that a selector finds."""
        return self.run(f"[...document.querySelectorAll({json.dumps(selector)})].map(each => each.textContent)")

    def press(self, key: str) -> None:
        """Press a key, by its name."""
        for kind in ("keyDown", "keyUp"):
            self.ask("Input.dispatchKeyEvent", type=kind, key=key)

    def click(self, x: float, y: float) -> None:
        """Click at a point."""
        for kind in ("mousePressed", "mouseReleased"):
            self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=1)

    def screenshot(self, file: Path) -> None:
        """Write what is seen as a PNG."""
        file.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def take(self, event: dict[str, Any]) -> None:
        """Keep what the page asks for and what goes wrong in it."""
        method, given = event["method"], event["params"]
        if method == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            self.errors.append(str(given["exceptionDetails"]))
        elif method == "Log.entryAdded" and given["entry"]["level"] == "error":
            self.errors.append(given["entry"]["text"])


class Browser:
    """A running browser; see `browsing`."""

    def __init__(self, to: int, back: int) -> None:
        self._to, self._back = os.fdopen(to, "wb", buffering=0), os.fdopen(back, "rb", buffering=0)
        self._asked, self._rest = 0, b""
        self._tabs: dict[str, Tab] = {}

    def ask(self, method: str, session: str | None = None, tab: Tab | None = None, **given: Any) -> dict[str, Any]:
        """Call a method and wait for its answer; events on the way go to the tab."""
        if session and tab:
            self._tabs[session] = tab
        self._asked += 1
        message = {"id": self._asked, "method": method, "params": given}
        self._to.write(json.dumps({**message, "sessionId": session} if session else message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._asked:
                assert "error" not in answer, answer["error"]
                return answer["result"]
            owner = self._tabs.get(answer.get("sessionId", ""))
            if owner is not None and "method" in answer:
                owner.take(answer)

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._rest:
            some = os.read(self._back.fileno(), 1 << 16)
            assert some, "the browser has gone"
            self._rest += some
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def close(self) -> None:
        """Close the pipes, which ends the browser."""
        self._to.close()
        self._back.close()


@contextmanager
def browsing(program: str) -> Iterator[Tab]:
    """A page of a fresh browser, which ends with the block."""
    here, there = os.pipe(), os.pipe()
    with tempfile.TemporaryDirectory(prefix="gradviz-browser-", ignore_cleanup_errors=True) as home:
        options = [
            "--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-dev-shm-usage",
            "--no-first-run", "--disable-background-networking", "--hide-scrollbars", f"--user-data-dir={home}",
        ]  # fmt: skip

        # Python sets the pipes up in the new process: fork with a function of ours is unsafe beside threads.
        process = subprocess.Popen(
            [sys.executable, "-c", _WIRED, str(here[0]), str(there[1]), program, *options],
            pass_fds=(here[0], there[1]), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip
        os.close(here[0])
        os.close(there[1])
        browser = Browser(here[1], there[0])
        try:
            yield Tab(browser, browser.ask("Target.createTarget", url="about:blank")["targetId"])
        finally:
            browser.close()
            process.terminate()
            process.wait(PATIENCE_S)
            with suppress(ProcessLookupError):  # its own processes would still write into its home
                os.killpg(process.pid, signal.SIGKILL)
