"""Every action of the window as a table: name, menu, words, keys.

`keys` work everywhere. `canvas_keys` are plain keys, which work only while the focus is in nothing that needs them
itself (a text field, a list, for Space also a button).
"""

from __future__ import annotations

from typing import NamedTuple

SIZES = (100, 125, 150, 175, 200)
"""Sizes of text and all else, in per cent."""


class Spec(NamedTuple):
    """One action.

    Attributes:
        name: what the window and the tests call it.
        menu: title of its menu; "Play>Speed" is a menu inside a menu.
        text: its words in the menu; ends in "…" where it asks something first.
        tip: one sentence for the status bar.
        keys: shortcuts that work everywhere.
        canvas_keys: plain keys.
        icon: name in resources/icons, or "".
        needs: "" always, "open" something open, "script" the same and it is seen, not the start page, "picture"
            something drawn, "run" something running, "what_if" numbers other than in the run,
            "compared" recordings beside one another.
        is_choice: whether it is on or off.
        starts_group: whether a line is drawn above it.
    """

    name: str
    menu: str
    text: str
    tip: str
    keys: tuple[str, ...] = ()
    canvas_keys: tuple[str, ...] = ()
    icon: str = ""
    needs: str = ""
    is_choice: bool = False
    starts_group: bool = False


SPECS: tuple[Spec, ...] = (
    Spec("new", "File", "New script", "Start with an empty script", ("Ctrl+N",), icon="new"),
    Spec("open", "File", "Open…", "Open a script, a notebook or an exported recording", ("Ctrl+O",), icon="open"),
    Spec("open_ranks", "File", "Open folder of ranks…",
         "Compare the processes of a distributed run, each of which left a recording in one folder"),
    Spec("compare_file", "File", "Compare with file…",
         "Show this run and a recording on one layout, differences marked", needs="picture"),
    Spec("start", "File", "Start page", "Lessons, recent files, a field to type into", ("Ctrl+Shift+H",), icon="home"),
    Spec("save", "File", "Save", "Write the script, or the recording that is open, to its file", ("Ctrl+S",),
         icon="save", needs="script", starts_group=True),
    Spec("save_as", "File", "Save as…",
         "Write to another file: the script, or with it the recording, breakpoints, v set by hand and folds",
         ("Ctrl+Shift+S",), needs="script"),
    Spec("export", "File", "Export…", "Write the picture, a film, a page that plays in a browser, or the recording",
         ("Ctrl+E",), icon="export", needs="picture"),
    Spec("quit", "File", "Quit", "Close gradviz", ("Ctrl+Q",), starts_group=True),
    Spec("undo", "Edit", "Undo", "Undo the last change to the script", ("Ctrl+Z",), icon="undo", needs="script"),
    Spec("redo", "Edit", "Redo", "Redo the change", ("Ctrl+Shift+Z", "Ctrl+Y"), icon="redo", needs="script"),
    Spec("copy_picture", "Edit>Copy", "Picture", "Copy the graph at this step, as an image and as SVG",
         ("Ctrl+Shift+C",), needs="picture", starts_group=True),
    Spec("copy_value", "Edit>Copy", "Value", "Copy the value of the node that is shown, with all its numbers",
         needs="picture"),
    Spec("copy_formula", "Edit>Copy", "Formula as TeX", "Copy the rule of the node that is shown", needs="picture"),
    Spec("copy_markdown", "Edit>Copy", "Step as Markdown", "Copy what comes in, the rule and what goes out",
         needs="picture"),
    Spec("find", "Edit", "Find a node", "Find by name, op, shape, line, or how large a gradient is", ("Ctrl+F",),
         icon="find", needs="picture", starts_group=True),
    Spec("find_next", "Edit", "Find next", "Go to the next match", ("F3",), needs="picture"),
    Spec("find_previous", "Edit", "Find previous", "Go to the previous match", ("Shift+F3",),
         needs="picture"),
    Spec("edit_script", "Edit", "Go to the script", "Put the cursor into the script", ("Ctrl+L",), needs="script"),
    Spec("leave", "Edit", "Go to the graph", "Leave the script or the start page; the step keys work again", ("Esc",),
         needs="open"),
    Spec("commands", "View", "Command palette", "Find and run anything that the menus can do", ("Ctrl+Shift+P",)),
    Spec("fit", "View", "Fit the graph", "Show the whole graph", canvas_keys=("F",), icon="fit", needs="picture",
         starts_group=True),
    Spec("zoom_in", "View", "Zoom in", "Show the graph larger", ("Ctrl++", "Ctrl+="), icon="zoom_in", needs="picture"),
    Spec("zoom_out", "View", "Zoom out", "Show the graph smaller", ("Ctrl+-",), icon="zoom_out", needs="picture"),
    *(
        Spec(f"move_{way.lower()}", "View>Move over the graph", way, f"See what is {where}",
             canvas_keys=(f"Shift+{way}",), needs="picture")
        for way, where in (("Left", "further left"), ("Right", "further right"), ("Up", "above"), ("Down", "below"))
    ),
    Spec("arrow_field", "View", "Arrow field", "Show the gradients of two leaves as arrows over the surface they span",
         ("Ctrl+Shift+A",), needs="picture", starts_group=True),
    Spec("fold", "View>Groups", "Fold or unfold", "Fold the selected group to one box, or unfold it",
         canvas_keys=("E",), needs="picture"),
    Spec("fold_all", "View>Groups", "Fold all", "Fold every group to one box", canvas_keys=("Shift+E",),
         needs="picture"),
    Spec("unfold_all", "View>Groups", "Unfold all", "Show what is in every group", canvas_keys=("Alt+E",),
         needs="picture"),
    Spec("focus_group", "View>Groups", "Focus on the group", "Show only the selected group and its neighbours",
         canvas_keys=("G",), needs="picture", starts_group=True),
    Spec("leave_focus", "View>Groups", "Leave focus", "Show everything again", canvas_keys=("Shift+G",),
         needs="picture"),
    Spec("across", "View", "Left to right", "Draw the graph from left to right", ("Ctrl+R",), icon="across",
         is_choice=True, starts_group=True),
    Spec("direction_auto", "View", "Direction by room", "Run the graph down or to the right, whichever draws it larger",
         is_choice=True),
    Spec("follow", "View", "Follow the step", "Keep the node of the step in view", is_choice=True),
    Spec("gauges", "View", "Gradient sizes", "Show in each box how large its gradient is, by the scale of the legend",
         ("Ctrl+G",), is_choice=True),
    Spec("plumbing", "View", "Show plumbing",
         "Give views, transposes and copies that only hand a tensor on boxes of their own", needs="picture",
         is_choice=True),
    Spec("show_left", "View", "Script column", "Show script, output and variables", ("Ctrl+1",), is_choice=True),
    Spec("show_right", "View", "Inspector column", "Show what happens at a node", ("Ctrl+2",), is_choice=True),
    Spec("show_breakpoints", "View", "Breakpoint list", "Show where playing stops", ("Ctrl+3",), is_choice=True),
    Spec("show_heat", "View", "Heat strip", "Show the gradient of every parameter in every backward call", ("Ctrl+4",),
         needs="script", is_choice=True),
    Spec("text_larger", "View", "Larger script text", "Show the script larger", ("Ctrl+Shift++",), needs="script",
         starts_group=True),
    Spec("text_smaller", "View", "Smaller script text", "Show the script smaller", ("Ctrl+Shift+-",), needs="script"),
    *(
        Spec(f"size_{size}", "View>Zoom interface", f"{size} %", f"Draw the whole interface at {size} %",
             is_choice=True)
        for size in SIZES
    ),
    Spec("theme_system", "View>Theme", "System", "Follow the light, dark or high contrast setting of the system",
         icon="system", is_choice=True, starts_group=True),
    Spec("theme_light", "View>Theme", "Light", "Dark on light", icon="light", is_choice=True),
    Spec("theme_dark", "View>Theme", "Dark", "Light on dark", icon="dark", is_choice=True),
    Spec("theme_contrast_light", "View>Theme", "High contrast, white", "Strong colours and borders on white",
         icon="contrast_light", is_choice=True, starts_group=True),
    Spec("theme_contrast_dark", "View>Theme", "High contrast, black", "Strong colours and borders on black",
         icon="contrast_dark", is_choice=True),
    Spec("reduced_motion", "View", "Reduce motion", "Show steps without animation", is_choice=True),
    Spec("present", "View", "Present", "Large and without controls, a step for each key; Esc ends it", ("F6",),
         needs="picture", is_choice=True, starts_group=True),
    Spec("full_screen", "View", "Full screen", "Use the whole screen", ("F11",), is_choice=True),
    Spec("go_back", "Go", "Back", "Select what was selected before", ("Alt+Left",), icon="back", needs="picture"),
    Spec("go_forward", "Go", "Forward", "Select what was selected before going back", ("Alt+Right",), icon="forward",
         needs="picture"),
    Spec("definition", "Go", "Go to definition", "From a node to its line, from a line of the script to its node",
         ("F12",), needs="picture", starts_group=True),
    Spec("birth", "Go", "Go to where NaN was born",
         "Go to the step at which the first NaN or infinity appeared; again, to the next", canvas_keys=("B",),
         needs="picture"),
    Spec("select_current", "Go", "Select the node of this step", "Keep the node of this step selected",
         canvas_keys=("S",), needs="picture"),
    Spec("select_input", "Go>Select neighbour", "Input", "Select what the selected node was computed from",
         canvas_keys=("Up",), needs="picture"),
    Spec("select_consumer", "Go>Select neighbour", "Consumer", "Select what was computed from the selected node",
         canvas_keys=("Down",), needs="picture"),
    Spec("select_next", "Go>Select neighbour", "Next node", "Select the node that was computed next",
         canvas_keys=("N",), needs="picture"),
    Spec("select_previous", "Go>Select neighbour", "Previous node", "Select the node that was computed before",
         canvas_keys=("Shift+N",), needs="picture"),
    Spec("zoom_selection", "Go", "Zoom to the selection", "Show the selected node and its neighbours, or what is lit",
         canvas_keys=("Z",), needs="picture"),
    Spec("path", "Go", "Show path to the output", "Highlight the paths from the selected node to the output",
         canvas_keys=("P",), needs="picture", starts_group=True),
    Spec("ancestors", "Go", "Ancestors only", "Highlight what the selected node was computed from", canvas_keys=("A",),
         needs="picture"),
    Spec("descendants", "Go", "Descendants only", "Highlight what was computed from the selected node",
         canvas_keys=("D",), needs="picture"),
    Spec("show_all", "Go", "Show everything", "End the highlighting", canvas_keys=("Shift+A",),
         needs="picture"),
    Spec("play", "Play", "Play or pause", "Step automatically", canvas_keys=("Space",), icon="play", needs="picture"),
    Spec("step", "Play", "Step forward", "One step forward", ("F10",), ("Right",), icon="forward", needs="picture"),
    Spec("back", "Play", "Step back", "One step back", ("Shift+F10",), ("Left",), icon="back", needs="picture"),
    Spec("first", "Play", "Go to start", "Before the first step", canvas_keys=("Home",), icon="first", needs="picture",
         starts_group=True),
    Spec("turn", "Play", "Go to start of backward", "Where forward is done and backward begins", canvas_keys=("T",),
         icon="turn", needs="picture"),
    Spec("last", "Play", "Go to end", "After the last step", canvas_keys=("End",), icon="last", needs="picture"),
    Spec("run_to", "Play", "Run to the cursor", "Go on to the selected node, or to the line of the script's cursor",
         ("Ctrl+F10",), needs="picture", starts_group=True),
    Spec("next_stop", "Play", "Next breakpoint", "Go to the next step at which a breakpoint stops", ("F8",),
         needs="picture"),
    Spec("previous_stop", "Play", "Previous breakpoint", "Go back to the last step at which a breakpoint stopped",
         ("Shift+F8",), needs="picture"),
    Spec("breakpoint", "Play>Breakpoints", "Breakpoint here",
         "Stop at the selected node, or at the line of the script's cursor", ("F9",), needs="script"),
    Spec("breakpoint_new", "Play>Breakpoints", "New breakpoint…", "Stop where a condition holds", ("Ctrl+F9",),
         needs="script"),
    Spec("breakpoints_turn", "Play>Breakpoints", "Turn all on or off",
         "Turn all breakpoints on; if all are on, turn them off",
         ("Ctrl+Shift+F8",), needs="script", starts_group=True),
    Spec("breakpoints_clear", "Play>Breakpoints", "Remove all", "Remove all breakpoints", ("Ctrl+Shift+F9",),
         needs="script"),
    Spec("step_over", "Play", "Step over folded groups", "The steps in a folded group are one step",
         canvas_keys=("O",), is_choice=True, starts_group=True),
    Spec("faster", "Play", "Faster", "More steps per second", canvas_keys=("]",), starts_group=True),
    Spec("slower", "Play", "Slower", "Fewer steps per second", canvas_keys=("[",)),
    Spec("loop", "Play", "Repeat", "Start again at the end", icon="loop", is_choice=True),
    Spec("next_sweep", "Play", "Next backward call", "Show the next call", ("Ctrl+PgDown",), needs="picture",
         starts_group=True),
    Spec("previous_sweep", "Play", "Previous backward call", "Show the call before", ("Ctrl+PgUp",), needs="picture"),
    Spec("seed", "Play", "Seed laboratory", "Try any v: drag its numbers and see v·J, J and J·u follow",
         ("Ctrl+D",), icon="plus", needs="picture"),
    Spec("what_if", "Play", "What if…", "Write another number into the node that is shown, and see what follows",
         ("Ctrl+Shift+D",), needs="picture"),
    Spec("back_to_run", "Play", "Back to the run", "Take all changed numbers back", canvas_keys=("R",),
         needs="what_if"),
    Spec("compare_runs", "Play>Compare", "With the next runs", "Keep this run: what differs in the next ones is marked",
         ("Ctrl+K",), needs="picture"),
    Spec("compare_calls", "Play>Compare", "With another backward call",
         "Show two seeds, or two backward calls, on one layout, differences marked", ("Ctrl+Shift+K",),
         needs="picture"),
    Spec("compare_end", "Play>Compare", "End", "Compare no longer", needs="compared", starts_group=True),
    Spec("predict", "Play", "Predict", "Ask for each gradient before it is shown", canvas_keys=("Q",), needs="picture",
         is_choice=True, starts_group=True),
    Spec("reveal", "Play", "Show the asked gradient", "Show the gradient that is asked for, and go on",
         canvas_keys=("Shift+Q",), needs="picture"),
    Spec("run", "Play", "Run the script", "Run the script again", ("F5", "Ctrl+Return"), icon="run", needs="script",
         starts_group=True),
    Spec("pytorch", "Play", "Run with PyTorch", "Run the script with your own PyTorch, and step through what it did",
         ("Shift+F5", "Ctrl+Shift+Return"), needs="script"),
    Spec("pytorch_options", "Play", "Run with another PyTorch…", "Choose Python, arguments and folder, and run",
         ("Ctrl+Shift+F5",), needs="script"),
    Spec("check", "Play", "Check gradients", "Compare every node's rule with central differences, marked on the boxes",
         ("Ctrl+Shift+G",), needs="picture"),
    Spec("verify", "Play", "Verify the rules", "Compare every node with the rule of gradviz's own engine",
         ("Ctrl+Shift+V",), needs="picture"),
    Spec("stop", "Play", "Stop", "Stop the running script or layout", ("Ctrl+.",), icon="stop",
         needs="run"),
    Spec("next_lesson", "Lessons", "Next lesson", "Open the lesson after this one", ("Ctrl+Shift+N",), ("L",),
         icon="forward"),
    Spec("help", "Help", "Help", "How to use gradviz, and what it shows", ("F1",), icon="help"),
    Spec("about", "Help", "About gradviz", "Version and licences", icon="about"),
)  # fmt: skip
"""In the order of the menus. Recent files and lessons are put into their menus by the window."""

MENUS = ("File", "Edit", "View", "Go", "Play", "Lessons", "Help")


def shortcut_rows() -> list[tuple[str, str]]:
    """Words and keys of every action that has a key, for the help."""
    rows = ((_full_text(spec), ", ".join((*spec.canvas_keys, *spec.keys))) for spec in SPECS)
    return [row for row in rows if row[1]]


def _full_text(spec: Spec) -> str:
    """Its words without their menu: of an entry in a menu inside a menu, the inner one stands before them."""
    text, inner = spec.text.rstrip("…"), spec.menu.partition(">")[2]
    return f"{inner}: {text[0].lower()}{text[1:]}" if inner else text
