"""The table: each record of a document with its members.

A new field of a recording is one row here: file, schema, checks and the frames of a child process are made of it. The
recorder of PyTorch writes the same members by its own hand, since it runs where nothing but torch is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from gradviz.document.kinds import (
    ABSENT,
    ARRAY,
    COUNT,
    COUNT_OR_NULL,
    DTYPE,
    FLAG,
    ID,
    LINE,
    NUMBER,
    NUMBER_OR_NULL,
    NUMBERS,
    PARAMS,
    SHAPE,
    TEXT,
    TEXT_OR_EMPTY,
    TEXT_OR_NULL,
    ByName,
    Field,
    Kind,
    ListOf,
    ObjectOf,
    OneOf,
    OnScreen,
    Plain,
    Record,
    Rows,
    Text,
)
from gradviz.recording import (
    Accumulation,
    Broken,
    ChangedNumber,
    Cut,
    Engine,
    Framing,
    Node,
    Origin,
    Problem,
    Rank,
    Read,
    Recording,
    SavedView,
    Source,
    Step,
    Summaries,
    Summary,
    Sweep,
    Thinned,
    Warned,
)

FORMAT, VERSION = "gradviz", 1

SAID_ELSEWHERE = "-"
"""What carries no field of a recording."""


class _Format(Plain):
    """The name of the format; whoever parses a file looks at it first."""

    def __init__(self, value: Any) -> None:
        super().__init__(type(value))
        self._value = value

    def schema(self) -> dict[str, Any]:
        return {"const": self._value}


class _FileName(Text):
    """The name of a file; a reader takes its index in "sources" too, and has put the name there."""

    def schema(self) -> dict[str, Any]:
        return {"type": ["string", "integer", "null"], "minimum": 0}


SUMMARY = Record(
    "summary",
    Summary,
    (
        Field("shape", SHAPE),
        Field("dtype", DTYPE),
        Field("norm", NUMBER_OR_NULL, default=None),
        Field("min", NUMBER_OR_NULL, default=None),
        Field("max", NUMBER_OR_NULL, default=None),
        Field("nan", COUNT_OR_NULL, "How many of the numbers are NaN.", default=None),
        Field("inf", COUNT_OR_NULL, "How many of the numbers are infinite.", default=None),
        Field("sample", NUMBERS, "A few of the numbers, evenly spread.", default=()),
        Field("reason", TEXT, examples=("size", "filter", "memory", "unseen", "sparse", "file")),
    ),
    says="What is known of a value or gradient whose numbers were not kept. What is not known is absent.",
)
_SUMMARY = ObjectOf(SUMMARY)

SOURCE = Record(
    "source",
    Source,
    (
        Field("kind", OneOf("script", "notebook")),
        Field("name", TEXT, "File name, without folders."),
        Field("text", TEXT),
    ),
)
FILE = Record("file", Source, (Field("name", TEXT), Field("text", TEXT)), fixed={"kind": "script"})

NODE = Record(
    "node",
    Node,
    (
        Field("id", ID, 'Position in "nodes".'),
        Field(
            "op",
            TEXT,
            '"leaf" for a tensor that takes a gradient, "constant" for one that does not, else the op in PyTorch\'s '
            "spelling: mul, pow, sum, matmul, addmm.",
        ),
        Field("name", TEXT_OR_NULL, "The variable it was assigned to."),
        Field("inputs", ListOf(ID), "Ids of the inputs by slot. The same id may stand twice, as in x * x."),
        Field(
            "params",
            PARAMS,
            'What the op was given besides tensors, e.g. {"exponent": 2}. Numbers that are not finite are named as in '
            "arrays.",
        ),
        Field("shape", SHAPE),
        Field("dtype", DTYPE),
        Field("requires_grad", FLAG),
        Field("is_leaf", FLAG, "Whether no op made it.", SAID_ELSEWHERE),
        Field("value", ARRAY, "As it was when it was computed; null where it is not known.", "Recording.values"),
        Field("line", LINE, "Line of the source that made it."),
        Field("scope", ListOf(TEXT), "The functions, modules and loops around it, outermost first."),
        Field("aten", TEXT_OR_EMPTY, 'PyTorch\'s own name of the op, where "op" is another.', "Origin.aten", ""),
        Field(
            "backward_node",
            TEXT_OR_EMPTY,
            "The class of its step in PyTorch's graph.",
            "Origin.backward_node",
            "",
            examples=("MulBackward0",),
        ),
        Field("module", TEXT_OR_EMPTY, "Path of the module it was made in.", "Origin.module", ""),
        Field("in_place", FLAG, "Whether it wrote over its first input.", "Origin.in_place", False),
        Field(
            "outputs",
            COUNT,
            "How many outputs an op has that has several. It has no value then, and each output is a node with op "
            '"output".',
            "Origin.outputs",
            0,
        ),
        Field(
            "file",
            COUNT_OR_NULL,
            'Index in "sources" of the file that "line" is of. Absent for the main source.',
            "Origin.file",
            None,
        ),
        Field("summary", _SUMMARY, "Of a value that was not kept.", "Recording.summaries", ABSENT, by=1),
    ),
    says="One tensor: a leaf, a constant, or the result of one op.",
    more={
        "if": {"properties": {"op": {"enum": ["leaf", "constant"]}}},
        "then": {"properties": {"inputs": {"maxItems": 0}}},
    },
)

READ = Record(
    "read",
    Read,
    (
        Field("node", ID, "Whose value: an input, or the node itself.", SAID_ELSEWHERE),
        Field("value", ARRAY, "What was read; null where that was not kept."),
        Field("line", LINE, "Line where it was last changed."),
    ),
)

SENT = Record(
    "sent",
    Step,
    (
        Field("slot", ID, "Which input, from 0.", SAID_ELSEWHERE),
        Field("to", ID, "Id of that input.", SAID_ELSEWHERE),
        Field(
            "gradient",
            ARRAY,
            "dL/dx, of the shape of that input; null where none flows. One output of several sends on what came in, in "
            "its own shape.",
            SAID_ELSEWHERE,
        ),
        Field("summary", _SUMMARY, "Of a gradient that was not kept.", "Summaries.outgoing", ABSENT, by=2),
    ),
)

STEP = Record(
    "step",
    Step,
    (
        Field("node", ID),
        Field("incoming", ARRAY, "dL/dy, summed over all consumers; of the shape of the node."),
        Field("summary", _SUMMARY, "Of an incoming gradient that was not kept.", "Summaries.incoming", ABSENT, by=1),
        Field(
            "outgoing",
            Rows(SENT),
            "One entry per input in the order of the slots; empty at a leaf, whose step is the "
            "accumulation into .grad.",
        ),
        Field(
            "hooked",
            FLAG,
            "Whether a hook changed it, so that it is not the sum of what was sent.",
            "Sweep.hooked",
            ABSENT,
            by=1,
        ),
        Field(
            "read",
            Rows(READ),
            "Values that the step read otherwise than they were recorded, since they were changed where autograd does "
            "not see it, as through .data. Absent where there are none.",
            "Sweep.read",
            ABSENT,
            by=2,
        ),
        Field(
            "printed",
            COUNT,
            "How many characters the script had printed when it had run; absent where it printed nothing.",
            "Sweep.prints",
            ABSENT,
            by=1,
        ),
    ),
    says="What the backward pass did at one node.",
)

ACCUMULATED = Record(
    "accumulated",
    Accumulation,
    (
        Field("node", ID),
        Field("before", ARRAY, "null where .grad was None."),
        Field("after", ARRAY),
        Field("before_summary", _SUMMARY, "", "Summaries.before", ABSENT, by=1),
        Field("after_summary", _SUMMARY, "", "Summaries.after", ABSENT, by=1),
    ),
)

ERROR = Record(
    "error", Broken, (Field("message", TEXT), Field("node", COUNT_OR_NULL, default=None, is_always_written=True))
)

SWEEP = Record(
    "sweep",
    Sweep,
    (
        Field("outputs", ListOf(ID), "Ids of the nodes it started from."),
        Field(
            "seeds",
            ListOf(ARRAY),
            'The v of v·J, one per output and of its shape; null only where "seed_summaries" has it.',
        ),
        Field(
            "seed_summaries",
            ListOf(ObjectOf(SUMMARY, or_null=True)),
            "One per output; null for a seed that was kept.",
            "Summaries.seeds",
            ABSENT,
            by=1,
        ),
        Field("line", LINE, "Line of the call."),
        Field("retain_graph", FLAG),
        Field("create_graph", FLAG),
        Field("number", COUNT, "Which call of the run it was. Absent where all calls were kept.", default=0),
        Field(
            "since",
            COUNT_OR_NULL,
            "The first node made after the call before, which may not have been kept. Absent where it was.",
            default=None,
        ),
        Field(
            "kind",
            OneOf("backward", "grad"),
            "Which function was called: backward() or torch.autograd.grad().",
            default="backward",
        ),
        Field(
            "error",
            ObjectOf(ERROR, or_null=True),
            "What ended the pass midway, in PyTorch's words; the steps before it are there.",
            default=None,
        ),
        Field("seconds", NUMBER_OR_NULL, "How long it took.", default=None),
        Field("inside", COUNT_OR_NULL, "Index of the pass in which this one ran.", default=None),
        Field("file", COUNT_OR_NULL, 'Index in "sources" of the file that "line" is of.', default=None),
        Field("printed", COUNT_OR_NULL, "How many characters the script had printed when it began.", default=None),
        Field("steps", Rows(STEP), "In the order in which they ran, one per node reached."),
        Field("accumulated", Rows(ACCUMULATED), "The changes of .grad; empty for torch.autograd.grad."),
    ),
    says="One backward pass.",
)

KEPT = Record(
    "kept",
    Thinned,
    (
        Field("calls", COUNT, "How many ran."),
        Field("every", COUNT, "Besides the first and the last, one of so many was kept."),
        Field("in_rounds", FLAG, "Whether rounds of a loop are counted, since some have several calls."),
        Field("last", FLAG, "Whether the last was kept. Absent where it was.", default=True),
        Field("first", FLAG, "Whether the first was kept. Absent where it was.", default=True),
        Field(
            "about",
            FLAG,
            "Whether those between are evenly spread, and not one of so many exactly. Absent: false.",
            default=False,
        ),
        Field(
            "limit",
            OneOf("", "keep", "memory", "nodes"),
            "Why no more were kept: so many were asked for, or what they hold.",
            default="",
        ),
        Field("most", COUNT, "How much that is, in calls, megabytes or nodes.", default=0),
        Field(
            "not_finite",
            COUNT_OR_NULL,
            "The number of the first call with NaN or infinity, where it was kept.",
            default=None,
        ),
    ),
)

WARNING = Record(
    "warning",
    Warned,
    (
        Field("message", TEXT),
        Field("category", TEXT, "The class of the warning.", examples=("UserWarning",)),
        Field("line", COUNT_OR_NULL, "Line of the source, from 1; 0 where a script says so itself."),
        Field("at", COUNT, "How many characters of the output stood before it."),
    ),
)

ENGINE = Record(
    "engine",
    Engine,
    (
        Field("name", TEXT, examples=("PyTorch",)),
        Field("version", TEXT_OR_EMPTY, default="", is_always_written=True),
        Field("python", TEXT_OR_EMPTY, "Version of the interpreter.", default="", is_always_written=True),
        Field(
            "notes",
            ListOf(TEXT),
            "What was other than in a run that is not recorded, as whole sentences.",
            default=(),
            is_always_written=True,
        ),
    ),
)

PROBLEM = Record(
    "problem",
    Problem,
    (
        Field("message", TEXT),
        Field("hint", TEXT_OR_EMPTY, "What to do about it.", default="", is_always_written=True),
        Field("line", COUNT_OR_NULL, default=None, is_always_written=True),
        Field("column", COUNT_OR_NULL, default=None, is_always_written=True),
        Field("node", COUNT_OR_NULL, "Where it happened in the graph.", default=None, is_always_written=True),
        Field(
            "file",
            _FileName(is_null=True),
            'The file that "line" is of, by name or index in "sources"; null for the main source.',
            default="",
            is_always_written=True,
        ),
        Field("ended", FLAG, "Whether it ended the run; false for what a watch found. Absent: true.", default=True),
    ),
)

RANK = Record(
    "rank",
    Rank,
    (
        Field("rank", COUNT),
        Field("world", COUNT),
        Field("step", COUNT_OR_NULL, "Of the training, where it is known.", default=None, is_always_written=True),
    ),
)

CUT = Record(
    "cut",
    Cut,
    (
        Field("sources", ListOf(ID), "The nodes whose numbers were taken."),
        Field("how", TEXT, "By what, as the script writes it.", examples=("detach()", "item()")),
        Field("line", COUNT_OR_NULL, default=None, is_always_written=True),
        Field(
            "result",
            COUNT_OR_NULL,
            "The constant that came of it; null where Python or numpy got the numbers.",
            default=None,
            is_always_written=True,
        ),
    ),
)

BREAKPOINT = Record(
    "breakpoint",
    tuple,
    (Field("text", TEXT, examples=("line = 7",)), Field("on", FLAG, "Whether it counts.")),
)

FRAMING = Record(
    "framing",
    Framing,
    (
        Field("scale", OnScreen(above=0), "Screen pixels per unit of the layout."),
        Field("node", ID, "Id of the node next to the middle of what was in sight."),
        Field("x", OnScreen(), "From the middle of its box to the middle of what was in sight."),
        Field("y", OnScreen(), "The same, downwards."),
    ),
)

CHANGED = Record(
    "changed_number",
    ChangedNumber,
    (
        Field("node", ID, "Id of the node."),
        Field("element", COUNT, "Of the array, counted along the last axis first."),
        Field(
            "sweep",
            COUNT_OR_NULL,
            'Index in "backward"; null or absent for the value of a leaf.',
            default=None,
            is_always_written=True,
        ),
        Field(
            "slot",
            COUNT_OR_NULL,
            "Of the input to which it was sent; null or absent for what came in.",
            default=None,
            is_always_written=True,
        ),
        Field("number", NUMBER),
    ),
)

VIEW = Record(
    "view",
    SavedView,
    (
        Field(
            "sweep",
            COUNT_OR_NULL,
            'Index in "backward" of the pass that was chosen; null or absent for the first.',
            default=None,
            is_always_written=True,
        ),
        Field(
            "position",
            COUNT_OR_NULL,
            "Where one was: 0 before the first node, then one for each node drawn and one for each step; null or "
            "absent for where backward begins.",
            default=None,
            is_always_written=True,
        ),
        Field(
            "by_hand",
            COUNT,
            'How many passes at the end of "backward" are of a v set by hand, each with one output and its seed.',
            default=0,
        ),
        Field("breakpoints", ListOf(ObjectOf(BREAKPOINT)), "Conditions at which playing stops.", default=()),
        Field(
            "folded",
            ListOf(ListOf(TEXT), or_null=True),
            "The folded groups, each by its scope; null or absent where nobody has folded or opened one.",
            default=None,
        ),
        Field(
            "focus",
            ListOf(TEXT, or_null=True),
            "The group that alone was shown, with its neighbours.",
            default=None,
        ),
        Field(
            "plumbing",
            Plain(bool, type(None)),
            "Whether views, transposes and copies had boxes of their own; null or absent where nobody has chosen.",
            default=None,
        ),
        Field(
            "framing",
            ObjectOf(FRAMING, or_null=True),
            "Where the graph was on the screen; null or absent where all of it was in sight.",
            default=None,
        ),
        Field(
            "text",
            TEXT_OR_NULL,
            "The script as it was being edited, where that is another than the one that ran.",
            default=None,
        ),
        Field(
            "what_if",
            ListOf(ObjectOf(CHANGED)),
            "The numbers that were other than in the run, the last change last.",
            default=(),
        ),
    ),
)

ARRAY_TYPE = Record("array_type", tuple, (Field("dtype", DTYPE), Field("shape", SHAPE)))

DOCUMENT = Record(
    "recording",
    Recording,
    (
        Field("format", _Format(FORMAT), "", SAID_ELSEWHERE),
        Field("version", _Format(VERSION), "", SAID_ELSEWHERE),
        Field(
            "generator",
            TEXT,
            "The program that wrote the file, with its version.",
            SAID_ELSEWHERE,
            examples=("gradviz 0.1.0",),
        ),
        Field("source", ObjectOf(SOURCE, or_null=True), "The text that was run, or null where there is none."),
        Field("nodes", Rows(NODE), "The tensors of the graph in evaluation order."),
        Field(
            "backward",
            Rows(SWEEP),
            "The calls of backward() and torch.autograd.grad(), in order.",
            "Recording.sweeps",
        ),
        Field("gradients", ByName(ARRAY), "The final .grad by variable name; null for a leaf that has none."),
        Field(
            "gradient_types",
            ByName(ObjectOf(ARRAY_TYPE)),
            'dtype and shape of those members of "gradients" whose name no node of the same dtype and shape has. '
            "Absent where there are none.",
            SAID_ELSEWHERE,
            {},
        ),
        Field(
            "gradient_summaries",
            ByName(_SUMMARY),
            'Of those members of "gradients" that are null because they were not kept.',
            default={},
        ),
        Field("output", TEXT, "What the script printed."),
        Field(
            "kept",
            ObjectOf(KEPT, or_null=True),
            'That not all calls of a long run are in "backward". Absent where all are.',
            "Recording.thinned",
            None,
            alias="thinned",
        ),
        Field(
            "warnings",
            ListOf(ObjectOf(WARNING)),
            "What PyTorch or the script warned of, in order; left out where there is nothing.",
            default=(),
        ),
        Field(
            "engine",
            ObjectOf(ENGINE, or_null=True),
            "Who computed the numbers. Absent where it was the engine of gradviz.",
            default=None,
        ),
        Field(
            "sources",
            ListOf(ObjectOf(FILE)),
            "Files besides the main source that nodes and calls are of. Absent where there are none.",
            default=(),
        ),
        Field(
            "problem",
            ObjectOf(PROBLEM, or_null=True),
            "The error that ended the run, or what a watch over it found. Absent where there is neither.",
            default=None,
        ),
        Field("rank", ObjectOf(RANK, or_null=True), "Which process of a distributed run it is of.", default=None),
        Field(
            "faults",
            ListOf(TEXT),
            "What went wrong in the recorder itself; the run was not disturbed.",
            default=(),
        ),
        Field(
            "cuts",
            ListOf(ObjectOf(CUT)),
            "Where numbers went on outside of the graph, so that no gradient comes back that way. Absent where "
            "nowhere, or where it was not seen.",
            default=(),
        ),
        Field(
            "view",
            ObjectOf(VIEW, or_null=True),
            "How the recording was looked at when it was saved. Absent where nobody has; whoever passes over it loses "
            "no number.",
            default=None,
        ),
    ),
    says="One run of a PyTorch script: its computational graph, every step of every backward pass, and what it "
    "printed. Keys may be added in version 1; none is renamed or dropped, so a reader passes over keys that it "
    'does not know. What a schema cannot say: ids count up from 0 in the order of "nodes", an input has a smaller id '
    "than its consumer, and an array has exactly the shape of its node.",
)

SPREAD: Mapping[str, type] = {"Sweep.summaries": Summaries, "Node.origin": Origin}
"""Fields whose own fields are members of objects, each for itself."""


def records(start: Record = DOCUMENT) -> Iterator[Record]:
    """Every record of a document, once."""
    found, waiting = dict[str, Record](), [start]
    while waiting:
        record = waiting.pop()
        if record.name not in found:
            found[record.name] = record
            yield record
            waiting += [inner for field in record.fields for inner in field.kind.records()]


def kind_of(name: str) -> Kind:
    """The kind of the member that carries a field, "Sweep.since"."""
    return next(field.kind for record in records() for field in record.fields if field.of == name)
