"""Checks types of arguments where they enter; the message says what belongs there.

    check("the ties of a schedule", ["params"], PAIRS)
    TypeError: the ties of a schedule must be a dict of strings, not ['params']
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, NamedTuple

import numpy as np


class Kind(NamedTuple):
    """What an argument may be, in words and as a test."""

    words: str
    accepts: Callable[[Any], bool]


def _is_text(x: Any) -> bool:
    return isinstance(x, str)


def _is_integer(x: Any) -> bool:
    return isinstance(x, (int, np.integer)) and not isinstance(x, bool)


_NAME = re.compile(r"[A-Za-z_](?:[\w.-]*\w)?", re.ASCII)  # as schedules have them


def _is_name(x: Any) -> bool:
    return isinstance(x, str) and _NAME.fullmatch(x) is not None and "->" not in x


def _list_of(accepts: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda x: isinstance(x, Sequence) and not isinstance(x, (str, bytes)) and all(map(accepts, x))


def _one_or_more(accepts: Callable[[Any], bool]) -> Callable[[Any], bool]:
    """Static and donated arguments: JAX takes any collection of them."""
    return lambda x: accepts(x) or isinstance(x, (Sequence, set, frozenset)) and not isinstance(x, (str, bytes)) and all(map(accepts, x))


TEXT = Kind("a string", _is_text)
NAME = Kind("a word (a letter, then letters, digits, '_', '-' and '.')", _is_name)
TEXTS = Kind("a list of strings", _list_of(_is_text))
PAIRS = Kind("a dict of strings", lambda x: isinstance(x, Mapping) and all(map(_is_text, (*x, *x.values()))))
INTEGER = Kind("an integer", _is_integer)
COUNT = Kind("a number from 0 on", lambda x: _is_integer(x) and x >= 0)
TRUTH = Kind("True or False", lambda x: isinstance(x, (bool, np.bool_)))
PATH = Kind("the path of a file", lambda x: isinstance(x, (str, PathLike)))
FUNCTION = Kind("a function", callable)
NUMBERS = Kind("an integer or several", _one_or_more(_is_integer))
NAMES = Kind("a string or several", _one_or_more(_is_text))


def check(what: str, value: Any, kind: Kind, optional: bool = False) -> None:
    """A TypeError unless the value is of that kind, or None where it may be left out."""
    if not kind.accepts(value) and not (optional and value is None):
        raise TypeError(f"{what} must be {kind.words}{' or None' if optional else ''}, not {value!r}")
