"""Makes dataclasses of JSON."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

T = TypeVar("T")


def build(kind: type[T], value: Any) -> T:
    """An object of this kind.

    Keys that it does not know are left out: newer explorers may say more, older ones less.
    """
    built: T = _build(kind, value)
    return built


def _build(kind: Any, value: Any) -> Any:
    if get_origin(kind) in (Union, UnionType):
        if value is None:
            return None
        # An object is of the one kind that has fields.
        kinds = [each for each in get_args(kind) if each is not type(None)]
        kind = next((each for each in kinds if is_dataclass(each) == isinstance(value, dict)), kinds[0])
        return _build(kind, value)
    if get_origin(kind) is tuple:
        return tuple(_build(get_args(kind)[0], each) for each in value)
    if isinstance(kind, type) and is_dataclass(kind):
        return kind(**{name: _build(of, value[key]) for name, key, of in _plan(kind) if key in value})
    return value


@cache
def _plan(kind: Any) -> list[tuple[str, str, Any]]:
    """The name of each field, its key in JSON, and its kind."""
    hints = get_type_hints(kind)
    return [(each.name, each.metadata.get("key", each.name), hints[each.name]) for each in fields(kind)]
