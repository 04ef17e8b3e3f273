"""Folding at work: which group is meant, and what happens to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from gradviz.playback.groups import folding as fold
from gradviz.playback.groups.bundles import HIDDEN
from gradviz.playback.groups.folded import FoldedTrack
from gradviz.playback.groups.folding import Folding
from gradviz.playback.groups.groups import OUTSIDE, Groups
from gradviz.playback.groups.plumbing import has_plumbing
from gradviz.ui.session.session import Session

if TYPE_CHECKING:
    from gradviz.ui.window.workbench import Workbench

NO_GROUPS = "This picture has no groups: functions, modules and rounds of loops with several ops make them."
NO_PLUMBING = "This picture has no plumbing: views, transposes and copies that only hand a tensor on."
NO_GROUP = "No group is selected: click one, or a node in one."


class Folds(QObject):
    """The folding of one workbench.

    Attributes:
        is_locked: whether it stays as it is.

    Signals:
        told: one sentence on what is shown now, or why nothing is.
        changed: the user has folded, opened or focused. Payload: what it is called, the Folding before, and after.
    """

    told = Signal(str)
    changed = Signal(str, object, object)

    def __init__(self, workbench: Workbench, session: Session) -> None:
        super().__init__(workbench)
        self._workbench, self._session = workbench, session
        self.is_locked = False

    @property
    def board(self) -> FoldedTrack | None:
        """What is drawn, where it has groups."""
        picture = self._session.picture
        return picture.drawn if picture is not None and isinstance(picture.drawn, FoldedTrack) else None

    @property
    def is_focused(self) -> bool:
        """Whether only one group and its neighbours are shown."""
        return self.board is not None and self.board.folding.focus is not None

    def is_folded(self, number: int) -> bool:
        """Whether a group is folded, or in one that is."""
        board = self.board
        return board is not None and fold.shown_as(board.folding, board.groups)[number] != OUTSIDE

    def box_of(self, node: int) -> int | None:
        """The folded group that stands for a node, or None."""
        board = self.board
        index = None if board is None else board.index_of.get(node)
        return None if board is None or index is None else board.group_of(board.forward[index])

    # ---- what is asked ----

    def restore(self, folding: Folding) -> None:
        """Fold and open as it was before, or after, a change by hand."""
        self._session.document.fold(folding, folding if self.board is None else self.board.folding)
        self._session.refold(folding)

    def toggle(self, number: int) -> None:
        """Fold a group, or unfold it."""
        self._change(lambda folding, groups: fold.toggled(folding, groups, number), number)

    def toggle_here(self) -> None:
        """Fold or unfold the selected group, or the group around the selected or current node."""
        number = self._here()
        if number is not None:
            self.toggle(number)

    def fold_all(self) -> None:
        """Fold every group."""
        self._change(lambda folding, groups: replace(folding, folded=fold.all_folded(groups).folded), whole=True)

    def unfold_all(self) -> None:
        """Unfold every group."""
        self._change(lambda folding, _: replace(folding, folded=frozenset()), whole=True)

    @property
    def has_plumbing(self) -> bool:
        """Whether plumbing has boxes of its own."""
        return self.board is None or self.board.has_plumbing

    def turn_plumbing(self) -> None:
        """Give plumbing boxes of its own, or have it at what it hands on."""
        board = self.board
        if board is None or not has_plumbing(board.base):
            self.told.emit(NO_PLUMBING)
            return
        self._change(lambda folding, _: replace(folding, has_plumbing=not board.has_plumbing), whole=True)

    def focus(self, number: int) -> None:
        """Show only a group, open, and its neighbours."""
        self._change(lambda folding, groups: fold.focused(folding, groups, number), number, whole=True)

    def focus_here(self) -> None:
        """Show only the selected group, or the group around the selected or current node, and its neighbours."""
        number = self._here()
        if number is not None:
            self.focus(number)
            self.told.emit("Only this group and its neighbours are shown; Shift+G shows all again.")

    def leave_focus(self) -> None:
        """Show everything again."""
        if self.is_focused:
            self._change(lambda folding, _: fold.unfocused(folding), whole=True)
        else:
            self.told.emit("All groups are shown.")

    def show_node(self, node: int) -> bool:
        """Open what hides a node; whether something had to be opened."""
        board = self.board
        if board is None or self.is_locked or node not in board.base.index_of:
            return False
        index = board.base.index_of[node]
        box = int(board.box_of[index])
        if box != HIDDEN and not board.is_group[box]:
            return False
        self._change(lambda folding, groups: fold.showing(folding, groups, index), is_wish=False)
        return True

    # ---- which group ----

    def _here(self) -> int | None:
        board = self.board
        if board is None:
            self.told.emit(NO_GROUPS)
            return None
        number = self._selected(board)
        if number is None:
            self.told.emit(NO_GROUP)
        return number

    def _selected(self, board: FoldedTrack) -> int | None:
        if self._workbench.selected_group is not None:
            return self._workbench.selected_group
        node = self._workbench.selected
        if node is None:
            node = board.node_at(self._session.clock.player.position)
        index = None if node is None else board.index_of.get(node)
        if index is None:
            return None
        number = board.group_of(board.forward[index])
        if number is not None:
            return number
        place = int(board.frame_of[index])
        return None if place == OUTSIDE else board.frames[place]

    def _change(
        self,
        change: Callable[[Folding, Groups], Folding],
        anchor: int | None = None,
        *,
        whole: bool = False,
        is_wish: bool = True,
    ) -> None:
        board = self.board
        if self.is_locked:
            return
        if board is None:
            self.told.emit(NO_GROUPS)
            return
        folding = change(board.folding, board.groups)
        if folding != board.folding:
            self._workbench.canvas.expect(anchor, whole=whole)
            if is_wish:
                self._session.document.fold(folding, board.folding)
            self._session.refold(folding)
            if is_wish:
                self.changed.emit(_name_of(board.folding, folding, board.groups, anchor), board.folding, folding)


def _name_of(before: Folding, after: Folding, groups: Groups, number: int | None) -> str:
    """What a change of the folding is called."""
    if before.focus != after.focus:
        return "focus"
    if before.has_plumbing != after.has_plumbing:
        return f"{'show' if after.has_plumbing else 'hide'} plumbing"
    is_folding = len(after.folded) > len(before.folded)
    what = "groups" if number is None else groups.groups[number].title
    return f"{'fold' if is_folding else 'unfold'} {what}"
