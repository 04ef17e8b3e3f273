"""The JSON Schema of a recording, made of the table: python -m gradviz.document.schema writes the shipped file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gradviz.document.arrays import NOT_FINITE, STORED_AS
from gradviz.document.fields import DOCUMENT, VERSION, records

FILE = Path(__file__).resolve().parents[2] / "resources" / "schema" / f"gradviz-{VERSION}.schema.json"
_VALUES = {"$ref": "#/$defs/values"}
_ARRAYS: dict[str, Any] = {
    "shape": {
        "description": "Sizes; [] for a single number.",
        "type": "array",
        "items": {"type": "integer", "minimum": 0},
        "maxItems": 64,
    },
    "dtype": {"description": 'As PyTorch names it, without "torch.".', "enum": list(STORED_AS)},
    "array": {"description": "An array, or null.", "anyOf": [{"type": "null"}, _VALUES]},
    "values": {
        "description": "Nested lists of the shape; a number alone for shape []. A number has the fewest digits that "
        "read back to the same number of its dtype. JSON has no infinities, so these are named. Complex numbers are an "
        "object of two such lists. In recording.json of a .gradviz file, an array of more than a few numbers is the "
        "name of the member that holds it.",
        "anyOf": [
            {"type": "object", "required": ["real", "imag"], "properties": {"real": _VALUES, "imag": _VALUES}},
            {
                "type": "object",
                "required": ["member"],
                "properties": {"member": {"type": "string", "examples": ["a/17.npy"]}},
            },
            {"type": ["number", "boolean"]},
            {"enum": list(NOT_FINITE)},
            {"type": "array", "items": _VALUES},
        ],
    },
}


def schema() -> dict[str, Any]:
    """The whole schema."""
    top = {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": f"gradviz recording, version {VERSION}"}
    defined = {record.name: record.schema() for record in records() if record is not DOCUMENT}
    return {**top, **DOCUMENT.schema(), "$defs": {**dict(sorted(defined.items())), **_ARRAYS}}


def text() -> str:
    """The shipped file."""
    return json.dumps(schema(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
