"""What a member of a document may be: how it is written, what is refused in its place, and its JSON Schema.

Members are handled column by column: all values of one key of many objects at once. A column is read with `path`, which
gives the place in the file of the value at an index; it is asked only for the sentence of an error.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, islice, starmap
from operator import attrgetter, itemgetter
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias

import numpy as np

from gradviz.document.arrays import NOT_FINITE, STORED_AS, named, said, to_json
from gradviz.errors import FormatError
from gradviz.recording import wrong_shape

Object: TypeAlias = "Mapping[str, Any]"
Path: TypeAlias = "Callable[[int], str]"
Schema: TypeAlias = "dict[str, Any]"
Place: TypeAlias = "tuple[Any, Any]"
"""Where an array stands in a document: in which list or object, and at which index or key."""

_WORDS: dict[type, str] = {
    int: "a whole number",
    str: "a string",
    bool: "true or false",
    list: "a list",
    dict: "an object",
    NoneType: "null",
}
_IN_SCHEMA: dict[type, str] = {int: "integer", str: "string", bool: "boolean", NoneType: "null"}


def _refuse_others(values: Sequence[Any], types: Iterable[type], path: Path) -> None:
    """Of a value its very type counts: True is no whole number here."""
    allowed = frozenset(types)
    if not allowed.issuperset(map(type, values)):
        at = next(at for at, value in enumerate(values) if type(value) not in allowed)
        expected = " or ".join([words for kind, words in _WORDS.items() if kind in allowed])
        raise FormatError(f"{path(at)} is {said(values[at])}, not {expected}.")


def _where_given(values: list[Any], make: Callable[[list[Any], Path], list[Any]], path: Path) -> list[Any]:
    """What is made of those values that are not null; None for the others."""
    given = [at for at, value in enumerate(values) if value is not None]
    if len(given) == len(values):
        return make(values, path)
    found: list[Any] = [None] * len(values)
    for at, made in zip(given, make([values[at] for at in given], lambda at: path(given[at])), strict=True):
        found[at] = made
    return found


class Kind:
    """One kind of member; this one is anything at all."""

    is_plain = True
    """Whether what is read is what stood in the file, and what is written is what the recording holds."""

    def read(self, values: list[Any], path: Path) -> list[Any]:  # noqa: ARG002
        """A column of a file as the recording holds it.

        Raises:
            FormatError: one of the values is none of this kind.
        """
        return values

    def write(self, values: list[Any]) -> list[Any]:
        """A column as JSON has it; arrays stay arrays."""
        return values

    def schema(self) -> Schema:
        """What a JSON Schema says of a value."""
        return {}

    def records(self) -> Iterator[Record]:
        """The records that stand in a value."""
        yield from ()

    def places(self, key: str, entries: Sequence[Any]) -> list[Place]:  # noqa: ARG002
        """Where the arrays of a member of some objects are; anything else may stand there, which `read` refuses."""
        return []


class Array(Kind):
    """Nested lists of numbers. To read them takes dtype and shape, so that is left to whoever knows the node."""

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/array"}

    def places(self, key: str, entries: Sequence[Any]) -> list[Place]:
        return [(entry, key) for entry in entries if key in entry]


class Plain(Kind):
    """A value of one of some types."""

    def __init__(self, *types: type) -> None:
        self._types = types

    def read(self, values: list[Any], path: Path) -> list[Any]:
        _refuse_others(values, self._types, path)
        return values

    def schema(self) -> Schema:
        return {"type": _one_or_several([_IN_SCHEMA[each] for each in self._types])}


def _one_or_several(words: list[str]) -> str | list[str]:
    return words[0] if len(words) == 1 else words


class Text(Plain):
    """A text that is "" where null stands; `is_null` where "" is written as null too."""

    is_plain = False

    def __init__(self, *types: type, is_null: bool = False) -> None:
        super().__init__(str, *types, NoneType)
        self._is_null = is_null

    def read(self, values: list[Any], path: Path) -> list[Any]:
        return ["" if value is None else value for value in super().read(values, path)]

    def write(self, values: list[Any]) -> list[Any]:
        return [value or None for value in values] if self._is_null else values


class Whole(Plain):
    """A whole number from a bound on; `why` is the rest of the sentence about a smaller one."""

    def __init__(self, least: int, why: str, *types: type) -> None:
        super().__init__(int, *types)
        self._least, self._why = least, why

    def read(self, values: list[Any], path: Path) -> list[Any]:
        super().read(values, path)
        for at, value in enumerate(values):
            if value is not None and value < self._least:
                raise FormatError(f"{path(at)} is {value}, but {self._why}.")
        return values

    def schema(self) -> Schema:
        return {**super().schema(), "minimum": self._least}


class Id(Plain):
    """A node. Which there are, only a reader of the whole document knows."""

    def __init__(self) -> None:
        super().__init__(int)

    def schema(self) -> Schema:
        return {"type": "integer", "minimum": 0}


class OneOf(Plain):
    """One of some texts."""

    def __init__(self, *words: str) -> None:
        super().__init__(str)
        self._words = words

    def read(self, values: list[Any], path: Path) -> list[Any]:
        super().read(values, path)
        for at, value in enumerate(values):
            if value not in self._words:
                quoted = [f'"{word}"' for word in self._words]
                expected = " or ".join(part for part in (", ".join(quoted[:-1]), quoted[-1]) if part)
                raise FormatError(f"{path(at)} is {said(value)}, not {expected}.")
        return values

    def schema(self) -> Schema:
        return {"enum": list(self._words)}


class Number(Kind):
    """A number, or the name of one that is not finite."""

    is_plain = False

    def __init__(self, *, or_null: bool = False) -> None:
        self._or_null = or_null

    def read(self, values: list[Any], path: Path) -> list[Any]:
        return [self._read(value, path, at) for at, value in enumerate(values)]

    def _read(self, value: Any, path: Path, at: int) -> float | None:
        if value is None and self._or_null:
            return None
        if type(value) is str and value in NOT_FINITE:
            return NOT_FINITE[value]
        if type(value) not in (int, float, bool):
            raise FormatError(f"{path(at)} is {said(value)}, not a number.")
        try:
            return float(value)
        except OverflowError:
            raise FormatError(f"{path(at)} holds a number that is too large.") from None

    def write(self, values: list[Any]) -> list[Any]:
        return [None if value is None else named(value) for value in values]

    def schema(self) -> Schema:
        either = {"oneOf": [{"type": ["number", "boolean"]}, {"enum": list(NOT_FINITE)}]}
        return {"anyOf": [{"type": "null"}, either]} if self._or_null else either


class OnScreen(Kind):
    """A finite number, above a bound where there is one."""

    is_plain = False

    def __init__(self, above: float | None = None) -> None:
        self._above = above

    def read(self, values: list[Any], path: Path) -> list[Any]:
        for at, value in enumerate(values):
            if not self._is_one(value):
                raise FormatError(f"{path(at)} is {said(value)}, which is nowhere on a screen.")
        return [float(value) for value in values]

    def _is_one(self, value: Any) -> bool:
        try:
            is_finite = type(value) in (int, float) and math.isfinite(value)
        except OverflowError:  # a whole number of more than 308 digits
            is_finite = False
        return is_finite and (self._above is None or value > self._above)

    def schema(self) -> Schema:
        return {"type": "number", **({} if self._above is None else {"exclusiveMinimum": self._above})}


class Dtype(Plain):
    """The name of a dtype that the format has."""

    def __init__(self) -> None:
        super().__init__(str)

    def read(self, values: list[Any], path: Path) -> list[Any]:
        super().read(values, path)
        for dtype in dict.fromkeys(values):
            if dtype not in STORED_AS:
                at = values.index(dtype)
                raise FormatError(f"{path(at)} is {said(dtype)}, which is none of {', '.join(STORED_AS)}.")
        return values

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/dtype"}


class ListOf(Kind):
    """A list whose members are all of one kind; a tuple in the recording."""

    is_plain = False

    def __init__(self, kind: Kind, *, or_null: bool = False) -> None:
        self.kind, self._or_null = kind, or_null

    def read(self, values: list[Any], path: Path) -> list[Any]:
        _refuse_others(values, (list, NoneType) if self._or_null else (list,), path)
        return _where_given(values, self._read, path) if self._or_null else self._read(values, path)

    def _read(self, lists: list[list[Any]], path: Path) -> list[Any]:
        def place(at: int) -> str:
            ends = list(accumulate(map(len, lists)))
            of = bisect_right(ends, at)
            return f"{path(of)}[{at - ends[of] + len(lists[of])}]"

        made = self.kind.read(list(chain.from_iterable(lists)), place)
        if self.kind.is_plain:
            return list(map(tuple, lists))
        rest = iter(made)
        return [tuple(islice(rest, len(members))) for members in lists]

    def write(self, values: list[Any]) -> list[Any]:
        if self.kind.is_plain and not isinstance(self.kind, Array):
            return values
        return [None if value is None else self.kind.write(list(value)) for value in values]

    def schema(self) -> Schema:
        kinds = ["array", "null"] if self._or_null else ["array"]
        return {"type": _one_or_several(kinds), "items": self.kind.schema()}

    def records(self) -> Iterator[Record]:
        return self.kind.records()

    def places(self, key: str, entries: Sequence[Any]) -> list[Place]:
        lists = [held for entry in entries if type(held := entry.get(key)) is list]
        if isinstance(self.kind, Array):
            return [(held, at) for held in lists for at in range(len(held))]
        objects = [each for each in chain.from_iterable(lists) if type(each) is dict]
        return [place for record in self.kind.records() for place in record.places(objects)]


class Numbers(ListOf):
    """A few numbers; what is null among them is passed over."""

    def __init__(self) -> None:
        super().__init__(Number(or_null=True), or_null=True)

    def read(self, values: list[Any], path: Path) -> list[Any]:
        return [tuple(each for each in found or () if each is not None) for found in super().read(values, path)]


class Shape(ListOf):
    """The sizes of an array."""

    def __init__(self) -> None:
        super().__init__(Plain(int))

    def read(self, values: list[Any], path: Path) -> list[Any]:
        shapes: list[tuple[int, ...]] = super().read(values, path)
        for shape in dict.fromkeys(shapes):
            if wrong := wrong_shape(shape):
                raise FormatError(f"{path(shapes.index(shape))} is {wrong}")
        return shapes

    def schema(self) -> Schema:
        return {"$ref": "#/$defs/shape"}


class ObjectOf(Kind):
    """An object of known members."""

    is_plain = False

    def __init__(self, record: Record, *, or_null: bool = False) -> None:
        self.record, self._or_null = record, or_null

    def read(self, values: list[Any], path: Path) -> list[Any]:
        _refuse_others(values, (dict, NoneType) if self._or_null else (dict,), path)
        return _where_given(values, self.record.read, path)

    def write(self, values: list[Any]) -> list[Any]:
        written = iter(self.record.write([value for value in values if value is not None]))
        return [None if value is None else next(written) for value in values]

    def schema(self) -> Schema:
        reference = {"$ref": f"#/$defs/{self.record.name}"}
        return {"anyOf": [{"type": "null"}, reference]} if self._or_null else reference

    def records(self) -> Iterator[Record]:
        yield self.record

    def places(self, key: str, entries: Sequence[Any]) -> list[Place]:
        return self.record.places([held for entry in entries if type(held := entry.get(key)) is dict])


class Rows(ListOf):
    """A list of objects that make sense only beside others: they are read as they are, to be read by their record."""

    def __init__(self, record: Record) -> None:
        super().__init__(ObjectOf(record))

    def read(self, values: list[Any], path: Path) -> list[Any]:
        return ListOf(Plain(dict)).read(values, path)


class ByName(Kind):
    """An object whose keys are names of the script, and whose values are all of one kind."""

    is_plain = False

    def __init__(self, kind: Kind) -> None:
        self.kind = kind

    def read(self, values: list[Any], path: Path) -> list[Any]:
        _refuse_others(values, (dict,), path)
        found = []
        for at, value in enumerate(values):
            names = list(value)
            made = self.kind.read(list(value.values()), lambda of, at=at, names=names: f"{path(at)}.{names[of]}")  # type: ignore[misc]
            found.append(dict(zip(names, made, strict=True)))
        return found

    def write(self, values: list[Any]) -> list[Any]:
        return [dict(zip(value, self.kind.write(list(value.values())), strict=True)) for value in values]

    def schema(self) -> Schema:
        return {"type": "object", "additionalProperties": self.kind.schema()}

    def records(self) -> Iterator[Record]:
        return self.kind.records()

    def places(self, key: str, entries: Sequence[Any]) -> list[Place]:
        held = [each for entry in entries if type(each := entry.get(key)) is dict]
        return [place for each in held for name in each for place in self.kind.places(name, [each])]


class Params(Kind):
    """An object of anything. That a number in it is not finite is found out by whoever knows how it was parsed."""

    is_plain = False

    def read(self, values: list[Any], path: Path) -> list[Any]:
        _refuse_others(values, (dict,), path)
        return values

    def write(self, values: list[Any]) -> list[Any]:
        return [{name: _param(given) for name, given in params.items()} if params else {} for params in values]

    def schema(self) -> Schema:
        return {"type": "object"}


def _param(value: Any) -> Any:
    """A param as JSON has it; what JSON has not becomes its text."""
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return named(float(value))
    if isinstance(value, list | tuple):
        return [_param(item) for item in value]
    if isinstance(value, Mapping):
        return {str(name): _param(item) for name, item in value.items()}
    return to_json(value) if isinstance(value, np.ndarray | np.generic) else str(value)


# ---- records ----


class _Sentinel:
    def __init__(self, name: str) -> None:
        self._name = name

    def __repr__(self) -> str:
        return self._name


REQUIRED: Final = _Sentinel("REQUIRED")
"""The default of a member that no file may lack."""
ABSENT: Final = _Sentinel("ABSENT")
"""What stands in a column for a member that an object does not have."""


class Field(NamedTuple):
    """One member of an object.

    Attributes:
        key: in the document.
        kind: what it may be.
        says: what it means, for the schema.
        of: the field of a class of `gradviz.recording` that it carries, "Sweep.hooked"; where it is empty, that of the
            record's class with the name of the key, and "-" for what other members say already.
        default: what is meant where it is absent, `REQUIRED` where it must not be.
        is_always_written: whether it is written where it is the default, too.
        by: of a field that holds something for some of the objects only: how many numbers its keys have. It is a set
            where the member is true or false, else a mapping.
        alias: another key that a reader takes.
        examples: for the schema.
    """

    key: str
    kind: Kind
    says: str = ""
    of: str = ""
    default: Any = REQUIRED
    is_always_written: bool = False
    by: int = 0
    alias: str = ""
    examples: Sequence[Any] = ()

    @property
    def owner(self) -> str:
        """The class whose field it carries."""
        return self.of.partition(".")[0]

    @property
    def name(self) -> str:
        """The field of that class."""
        return self.of.partition(".")[2]


_NONE: Mapping[str, Sequence[Any]] = {}


def _as_it_is(values: list[Any]) -> list[Any]:
    return values


class Record:
    """Objects with the same members.

    Args:
        name: in the schema.
        made: the class of what they are in a recording; `tuple` for the values in the order of the fields.
        fields: the members, in the order in which they are written.
        says: what such an object is.
        more: what the schema says besides.
        fixed: fields of `made` that no member says.

    Attributes:
        own: the members that are fields of `made`.
    """

    def __init__(
        self,
        name: str,
        made: type,
        fields: Sequence[Field],
        *,
        says: str = "",
        more: Mapping[str, Any] | None = None,
        fixed: Mapping[str, Any] | None = None,
    ) -> None:
        self.name, self.made, self.says, self.more = name, made, says, more or {}
        self.fields = tuple(each if each.of else each._replace(of=f"{made.__name__}.{each.key}") for each in fields)
        self._fixed = fixed or {}
        self._required = sum(field.default is REQUIRED for field in self.fields)
        self.own = [field for field in self.fields if field.owner == made.__name__ and not field.by]
        self._with_places: list[Field] = [
            field
            for field in self.fields
            if isinstance(field.kind, Array)
            or isinstance(getattr(field.kind, "kind", None), Array)
            or any(record._with_places for record in field.kind.records())
        ]

    # ---- reading ----

    def columns(self, entries: Sequence[Object], place: Path) -> dict[str, list[Any]]:
        """By key, the members of some objects; None of them where no object has it.

        A member that may be absent is its default where it is, and `ABSENT` where it belongs to another class.

        Raises:
            FormatError: a member is missing, or is none of its kind.
        """
        has_more = sum(map(len, entries)) > self._required * len(entries)
        found: dict[str, list[Any]] = {}
        for field in self.fields:
            key, path = field.key, _joined(place, field.key)
            if field.default is REQUIRED:
                try:
                    values = [entry[key] for entry in entries]
                except KeyError:
                    at = next(at for at, entry in enumerate(entries) if key not in entry)
                    raise FormatError(f"{path(at)} is missing.") from None
                found[key] = field.kind.read(values, path)
            elif has_more:
                self._add_some(field, entries, path, found)
        return found

    def _add_some(self, field: Field, entries: Sequence[Object], path: Path, found: dict[str, list[Any]]) -> None:
        key = field.key
        if field.alias:
            keys = [key if entry.get(key) is not None else field.alias for entry in entries]
            given = [at for at, entry in enumerate(entries) if keys[at] in entry]
            path = lambda at: keys[at]  # noqa: E731
        else:
            keys = []
            given = [at for at, entry in enumerate(entries) if key in entry]
        if not given:
            return
        values = [entries[at][keys[at] if keys else key] for at in given]
        read = field.kind.read(values, lambda at: path(given[at]))
        column = [field.default if field in self.own else ABSENT] * len(entries)
        for at, value in zip(given, read, strict=True):
            column[at] = value
        found[key] = column

    def parts(self, columns: Mapping[str, list[Any]], count: int) -> dict[str, list[Any]]:
        """By the name of a field of the class, the values for so many objects."""
        return {
            field.name: columns[field.key] if field.key in columns else [field.default] * count for field in self.own
        }

    def read(self, entries: list[Any], place: Path) -> list[Any]:
        """The objects as the recording holds them.

        Raises:
            FormatError: as `columns`.
        """
        return self.make(self.parts(self.columns(entries, place), len(entries)))

    def make(self, parts: Mapping[str, Sequence[Any]]) -> list[Any]:
        """The objects of the class, given the columns of its fields."""
        rows = zip(*parts.values(), strict=True)
        if self.made is tuple:
            return list(rows)
        if getattr(self.made, "_fields", None) == tuple(parts):
            return list(starmap(self.made, rows))
        return [self.made(**dict(zip(parts, row, strict=True)), **self._fixed) for row in rows]

    def has_more(self, columns: Mapping[str, list[Any]]) -> bool:
        """Whether some of the objects have more than what all must have."""
        return len(columns) > self._required

    def spread(self, owner: str, columns: Mapping[str, list[Any]], keys: Sequence[Any]) -> dict[str, Any]:
        """The fields of another class that hold something for some of the objects, each by its key in `keys`."""
        found: dict[str, Any] = {}
        for field in self.fields:
            if field.owner == owner and field.by:
                pairs = [(k, v) for k, v in zip(keys, columns.get(field.key, ()), strict=False) if v is not ABSENT]
                is_set = is_flag(field)
                found[field.name] = frozenset(key for key, value in pairs if value) if is_set else dict(pairs)
        return found

    # ---- writing ----

    def write(
        self,
        items: Sequence[Any],
        given: Mapping[str, Sequence[Any]] = _NONE,
        made: Mapping[str, Sequence[Any]] = _NONE,
    ) -> list[dict[str, Any]]:
        """The objects.

        Args:
            items: what the recording holds.
            given: by key, the columns that are not fields of the items; `ABSENT` where a member is left out.
            made: those that are as JSON has them already.
        """
        keys, columns = list[str](), list[Sequence[Any]]()
        is_full = True
        for field in self.fields:
            column, write = made.get(field.key), _as_it_is
            if column is None:
                column, write = given.get(field.key), field.kind.write
            if column is None:
                if field not in self.own:
                    if field.default is REQUIRED:
                        raise KeyError(field.key)
                    continue
                column = list(map(self._getter(field), items))
            if field.default is REQUIRED or field.is_always_written:
                column = write(list(column))
            else:
                default = field.default
                present = [at for at, value in enumerate(column) if value is not ABSENT and value != default]
                if not present:
                    continue
                some = write([column[at] for at in present])
                is_full = is_full and len(some) == len(column)
                column = [ABSENT] * len(column)
                for at, value in zip(present, some, strict=True):
                    column[at] = value
            keys.append(field.key)
            columns.append(column)
        rows = zip(*columns, strict=True)
        if is_full:
            return [dict(zip(keys, row, strict=True)) for row in rows]
        return [{key: value for key, value in zip(keys, row, strict=True) if value is not ABSENT} for row in rows]

    def _getter(self, field: Field) -> Callable[[Any], Any]:
        return itemgetter(self.own.index(field)) if self.made is tuple else attrgetter(field.name)

    def gathered(self, owner: str, holder: Any, keys: Sequence[Any]) -> dict[str, list[Any]]:
        """The columns of fields of another class that hold something for some of the objects; see `spread`."""
        found: dict[str, list[Any]] = {}
        for field in self.fields:
            if field.owner == owner and field.by and (held := getattr(holder, field.name)):
                is_set = is_flag(field)
                found[field.key] = [(is_set or held[key]) if key in held else ABSENT for key in keys]
        return found

    # ---- besides ----

    def places(self, entries: Sequence[Mapping[str, Any]]) -> list[Place]:
        """Where the arrays of some objects are."""
        return [place for field in self._with_places for place in field.kind.places(field.key, entries)]

    def schema(self) -> Schema:
        """What a JSON Schema says of such an object."""
        properties: dict[str, Schema] = {}
        for field in self.fields:
            more = {"examples": list(field.examples)} if field.examples else {}
            properties[field.key] = {
                **({"description": field.says} if field.says else {}),
                **field.kind.schema(),
                **more,
            }
            if field.alias:
                says = f'Another word for "{field.key}"; a reader takes either.'
                properties[field.alias] = {**properties[field.key], "description": says}
        required = [field.key for field in self.fields if field.default is REQUIRED]
        return {
            **({"description": self.says} if self.says else {}),
            "type": "object",
            **({"required": required} if required else {}),
            "properties": properties,
            **self.more,
        }


def is_flag(field: Field) -> bool:
    """Whether a field that holds something for some of the objects is a set of them."""
    return field.kind is FLAG


def _joined(place: Path, key: str) -> Path:
    return lambda at: f"{where}.{key}" if (where := place(at)) else key


FLAG, TEXT, TEXT_OR_NULL = Plain(bool), Plain(str), Plain(str, NoneType)
TEXT_OR_EMPTY = Text()
COUNT, COUNT_OR_NULL = (Whole(0, "it counts from 0", *types) for types in ((), (NoneType,)))
LINE = Whole(1, "lines count from 1", NoneType)
ID, DTYPE, SHAPE, ARRAY, PARAMS = Id(), Dtype(), Shape(), Array(), Params()
NUMBER, NUMBER_OR_NULL, NUMBERS = Number(), Number(or_null=True), Numbers()
