"""Intel Xe: kernels to listings and text, and text to kernels.

>>> kernel = isaglot.xe.assemble("(W) mov (8|M0) r10.0<1>:ud 0x1:ud", "xehpc")
>>> isaglot.xe.list(kernel, "xehpc").instructions[0]["dst"]["reg"]
{'rn': 'r', 'r': 10}
"""

from __future__ import annotations

import functools

from ._isa import Buffer, Isa, Listing
from ._isaglot import open as _open

__all__ = ["assemble", "disassemble", "list"]


@functools.lru_cache(maxsize=32)
def _machine(platform: str) -> Isa:
    return Isa(_open(platform, None, [], [], None, None, None, "", "", None, None, False))


def list(data: Buffer, platform: str, *, defs: bool = True, pc: bool = True, bits: bool = False) -> Listing:
    """The listing of a raw kernel for a machine such as ``xehpc`` or a product such as ``pvc``.

    Words that cannot be decoded are ``problems`` of the listing.
    """
    return _machine(platform).list(data, defs=defs, pc=pc, bits=bits)


def disassemble(data: Buffer, platform: str) -> str:
    """The text of a raw kernel."""
    return _machine(platform).disassemble(data)


def assemble(text: str, platform: str) -> bytes:
    """The kernel that a text makes.

    :raises isaglot.Error: what is wrong with the text, with line and column.
    """
    return _machine(platform).assemble(text)
