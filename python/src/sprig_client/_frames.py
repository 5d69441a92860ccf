"""Answers as data frames, for those who have pandas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

from ._answers import Land, Line, Move, Position, Step
from ._problems import Problem

if TYPE_CHECKING:
    import pandas


def to_dataframe(answers: Iterable[Position | Problem | Move | Step | Land] | Line) -> pandas.DataFrame:
    """A row for each answer: of a batch, moves, the steps of a line, lands. Needs `sprig-client[pandas]`."""
    try:
        import pandas  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("data frames need pandas: pip install 'sprig-client[pandas]'") from error
    rows = answers.steps if isinstance(answers, Line) else answers
    # What is not known stays apart from numbers: 0 is a nimber, too.
    return pandas.json_normalize([asdict(row) for row in rows]).convert_dtypes()
