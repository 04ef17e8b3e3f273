"""The data of a page as packed text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradviz.errors import FormatError
from gradviz.player.packing import pack, unpack

plain = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(st.characters(exclude_categories=())),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=20,
)


@given(plain)
def test_what_is_packed_is_unpacked_again_lone_surrogates_too(document):
    assert unpack(pack(document)) == document


@given(plain)
def test_packed_text_may_stand_in_an_address_and_is_always_the_same(document):
    text = pack(document)

    assert text == pack(document)
    assert set(text) <= set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")


@pytest.mark.parametrize("damage", [lambda text: text[:-8], lambda text: "!" + text, lambda text: "", lambda _: "AAAA"])
def test_damaged_text_is_said_in_one_sentence(damage):
    with pytest.raises(FormatError, match="The data of the page is damaged"):
        unpack(damage(pack({"a": [1, 2, 3], "b": "text" * 9})))
