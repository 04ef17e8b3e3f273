"""Which names a script may spell behind a dot, as a variable, and as a method of a class of its own.

Names without an underscore in front are free but for two short lists: `CLOSED` leads to frames, code and generators,
`TYPED` is harmless on most objects and a way to memory or around the gate on some. A name with one underscore is
private to whoever made the object. Names with two are Python's own, and a script has those that are listed here.
"""

from __future__ import annotations

import builtins
import dataclasses
import types

import numpy as np

CLOSED = frozenset(
    """
    gi_frame gi_code gi_yieldfrom cr_frame cr_code cr_await cr_origin ag_frame ag_code ag_await
    f_back f_builtins f_code f_globals f_lasti f_lineno f_locals f_trace f_trace_lines f_trace_opcodes f_generator
    tb_frame tb_next tb_lasti tb_lineno
    co_argcount co_cellvars co_code co_consts co_exceptiontable co_filename co_firstlineno co_flags co_freevars
    co_kwonlyargcount co_lines co_lnotab co_linetable co_name co_names co_nlocals co_positions co_posonlyargcount
    co_qualname co_stacksize co_varnames co_branches
    func_globals func_code func_closure im_func
    from_callable evaluate _evaluate _ctypes _cffi _capsule _get_strided_loop _resolve_dtypes_and_context _getframe
    """.split()
)
"""Only objects of a script's own classes may have an attribute of such a name."""

TYPED = frozenset(
    """
    format format_map mro obj cffi capsule
    data ctypes flags getfield setfield view dump dumps tofile tobytes tostring setflags resize newbyteorder
    sort argsort partition argpartition searchsorted
    fields set_state readinto readinto1 getbuffer
    """.split()
)
"""What these give depends on the object; see `gradviz.run.gate`."""

SLOTS = frozenset("array extra incoming index inputs op params tracked".split())
"""What the engine keeps its record of a tensor under; a script may call anything else so."""

PRIVATE = frozenset(
    """
    _replace _asdict _fields _make _field_defaults _value_ _name_ _missing_ _generate_next_value_ _ignore_ _order_
    _version _base _is_view _grad _backward_hooks _forward_hooks _forward_pre_hooks _parameters _modules _buffers
    _get_name _step_count _last_lr _named_members _is_full_backward_hook
    _load_from_state_dict _save_to_state_dict _initial_step _param_groups _data _weight _fns
    """.split()
)
"""Names with one underscore that objects of Python, numpy and the engine show to scripts."""

_OPERATORS = "add sub mul matmul truediv floordiv mod divmod pow lshift rshift and xor or".split()

DEFINED = frozenset(
    [
        *(f"__{prefix}{name}__" for name in _OPERATORS for prefix in ("", "r", "i")),
        *(
            f"__{name}__"
            for name in """
            new init post_init init_subclass set_name class_getitem prepare instancecheck subclasscheck subclasshook
            call repr str bytes format hash bool int float complex index round trunc floor ceil
            eq ne lt le gt ge neg pos abs invert
            len length_hint getitem setitem delitem missing iter next reversed contains
            getattr getattribute setattr delattr dir get set delete slots match_args
            enter exit await aiter anext aenter aexit
            copy deepcopy sizeof fspath array array_ufunc array_priority torch_function
            version author email license all date title copyright status credits maintainer doc constants all
            """.split()
        ),
    ]
)
"""What a class or script may define, and read. What runs behind Python's back (`__del__`), gives numpy memory
(`__array_interface__`) or tells the library how to rebuild an object (`__reduce__`) is not among them."""


def is_dunder(name: str) -> bool:
    """Whether it is one of Python's own names, `__x__`."""
    return name[:2] == "__" and name[-2:] == "__" and len(name) > 4


_BEHIND = (
    *(kind for kind in vars(builtins).values() if isinstance(kind, type)),
    *(kind for kind in vars(types).values() if isinstance(kind, type)),
    np.ndarray, np.generic, np.dtype, np.ufunc, dataclasses.Field, print, types,
)  # fmt: skip

KNOWN = frozenset(
    [
        *(name for kind in _BEHIND for name in dir(kind) if name[:2] == "__"),
        *vars(builtins),
        *(
            f"__{name}__"
            for name in """
            del dlpack getinitargs getnewargs getnewargs_ex mro_entries annotate annotations annotate_func classcell
            dataclass_fields dataclass_params objclass wrapped signature path cached all slotnames isabstractmethod
            abstractmethods orig_bases parameters origin args protocol_attrs notes unpacked typing_subst main
            firstlineno static_attributes type_params conform release_vars qualname globals builtins future
            match_args class classdict weakref file loader spec package debug
            """.split()
        ),
    ]
)
"""Names with two underscores that Python or numpy may look for; any other is as harmless as one without."""

_REBUILDING = ("array", "buffer", "reduce", "state", "pyx", "dlpack", "interface", "struct", "cython", "cuda")


def is_own_dunder(name: str) -> bool:
    """Whether only a script can have thought of it, such as `__init_weights__`."""
    return is_dunder(name) and name not in KNOWN and name.isidentifier() and not any(w in name for w in _REBUILDING)


def may_define(name: str) -> bool:
    """Whether a class of a script may have an attribute of this name with two underscores."""
    return name in DEFINED or is_own_dunder(name)


READ = (
    frozenset(
        f"__{name}__"
        for name in """
        name qualname module doc class dict mro bases base self func wrapped defaults kwdefaults annotations
        cause context suppress_context traceback notes members subclasses args origin parameters metadata
        abstractmethods isabstractmethod debug objclass text_signature total required_keys optional_keys
        type_params bound constraints value signature file
        """.split()
    )
    | DEFINED
) - {"__objclass__"}
"""What a script may read behind a dot. Some of these are answered by the gate; see `gradviz.run.gate`."""

VARIABLES = DEFINED | {"__name__", "__import__", "__file__", "__debug__", "__class__", "__qualname__", "__module__"}
"""What a script may read as a variable."""

ASSIGNED = DEFINED | {"__signature__", "__total__"}
"""What a script may bind as a variable, function, class or argument."""


def is_identifier_allowed(name: str, is_stored: bool) -> bool:
    """Whether a script may spell this name as a variable or argument, or bind it."""
    return not is_dunder(name) or name in (ASSIGNED if is_stored else VARIABLES) or is_own_dunder(name)


def is_field_allowed(name: object) -> bool:
    """Whether a script that makes an attribute by a text, as with `setattr` or `namedtuple`, may call it so."""
    return type(name) is str and (not is_dunder(name) or may_define(name)) and name[:1] != " "


def refusal_of_name(name: str) -> str:
    """The sentence about a name that no script may spell."""
    return REASONS.get(name, f"'{name}' cannot be used by scripts here")


REASONS = {
    "__del__": "a class with __del__ cannot be run here: nobody could say when it runs",
    "__builtins__": "'__builtins__' cannot be used by scripts here",
    "__reduce__": "how an object is pickled cannot be defined here",
    "__reduce_ex__": "how an object is pickled cannot be defined here",
    "__getstate__": "how an object is pickled cannot be defined here",
    "__setstate__": "how an object is pickled cannot be defined here",
}
