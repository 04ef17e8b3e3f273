"""The data of a page as text: JSON, deflated, in the letters of base64 that may stand in an address.

The browser unpacks it with its own DecompressionStream. The same data gives the same text.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from typing import Any

from gradviz.errors import FormatError

LINK_LIMIT = 4096
"""Characters of a fragment up to which every program passes a link on whole."""


def pack(document: Any) -> str:
    """Plain data as packed text."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    # A lone surrogate has no UTF-8; with a backslash it is what JSON calls it.
    return pack_bytes(text.encode("utf-8", "backslashreplace"))


def pack_bytes(content: bytes) -> str:
    """Bytes as packed text."""
    return base64.urlsafe_b64encode(zlib.compress(content, 9)).rstrip(b"=").decode("ascii")


def unpack(text: str) -> Any:
    """What was packed.

    Raises:
        FormatError: the text is cut off or damaged.
    """
    try:
        packed = base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
        return json.loads(zlib.decompress(packed))
    except (binascii.Error, zlib.error, ValueError) as error:
        raise FormatError(f"The data of the page is damaged ({error}).", hint="Export it again.") from None


def fragment(document: Any) -> str:
    """What stands behind the # of a link that carries the recording: any page of gradviz opens it."""
    return f"data={pack(document)}"
