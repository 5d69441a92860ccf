"""Who wins at Sprouts: a client of Sprig's explorer.

from sprig_client import Client

with Client() as sprig:
    print(sprig.position("0*2.AB|AB").outcome)
"""

from ._answers import Claims, Counts, Curve, Land, Line, Links, Move, Origin, Outcome, Play, Position, Step, Stroke
from ._clients import AsyncClient, Client
from ._frames import to_dataframe
from ._problems import (
    BusyError,
    MisdrawnError,
    NoPositionError,
    Problem,
    SprigError,
    TooDearError,
    UnreachableError,
)
from ._retry import Retry

__all__ = [
    "AsyncClient",
    "BusyError",
    "Claims",
    "Client",
    "Counts",
    "Curve",
    "Land",
    "Line",
    "Links",
    "MisdrawnError",
    "Move",
    "NoPositionError",
    "Origin",
    "Outcome",
    "Play",
    "Position",
    "Problem",
    "Retry",
    "SprigError",
    "Step",
    "Stroke",
    "TooDearError",
    "UnreachableError",
    "to_dataframe",
]
