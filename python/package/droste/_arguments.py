"""Checks of arguments that Python code uses before compiled code does."""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any

from droste._errors import UsageError


def _expected(value: object, what: str) -> UsageError:
    return UsageError(f"{type(value).__name__} was given, expected {what}")


def items(value: Any, what: str) -> list[Any]:
    """The items of a list, a tuple or an array, but not of a set, a dictionary or text."""
    has_order = hasattr(value, "__getitem__") and hasattr(value, "__len__")
    if not has_order or isinstance(value, str | bytes | bytearray | Mapping | type):
        raise _expected(value, what)
    try:
        return list(value)
    except TypeError:
        raise _expected(value, what) from None


def check_integer(value: Any, what: str, least: int = 0) -> None:
    """Refuses what is neither an integer from `least` on nor None."""
    if value is None:
        return
    try:
        number = operator.index(value)
    except TypeError:
        raise UsageError(f"{what}: {_expected(value, 'an integer')}") from None
    if isinstance(value, bool):
        raise UsageError(f"{what}: {_expected(value, 'an integer')}")
    # Compiled functions take 64 bits, and a number of thousands of digits has no text.
    if number.bit_length() > 64:
        raise UsageError(f"{what} has {number.bit_length()} bits, expected at most 64")
    if number < least:
        raise UsageError(f"{what} is {number}, expected at least {least}")


def check_flag(value: Any, what: str) -> None:
    """Refuses what is neither True nor False."""
    if not isinstance(value, bool):
        raise UsageError(f"{what}: {_expected(value, 'True or False')}")


def check_callable(value: Any, what: str) -> None:
    """Refuses what is neither a function nor None."""
    if value is not None and not callable(value):
        raise UsageError(f"{what}: {_expected(value, 'a function')}")
