"""Who wins at Sprouts: a client of Sprig's explorer.

from sprig_client import Client

with Client() as sprig:
    print(sprig.position("0*2.AB|AB").outcome)
"""

from ._answers import (
    Ban,
    ByKind,
    Claims,
    Counts,
    Curve,
    Event,
    Job,
    JobWithHistory,
    Land,
    LandNimber,
    Line,
    Links,
    Move,
    Origin,
    Outcome,
    Play,
    Position,
    Statistics,
    Step,
    Stroke,
    Tree,
    Worker,
    Workers,
)
from ._clients import AsyncClient, Client
from ._events import News
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
    "Ban",
    "BusyError",
    "ByKind",
    "Claims",
    "Client",
    "Counts",
    "Curve",
    "Event",
    "Job",
    "JobWithHistory",
    "Land",
    "LandNimber",
    "Line",
    "Links",
    "MisdrawnError",
    "Move",
    "News",
    "NoPositionError",
    "Origin",
    "Outcome",
    "Play",
    "Position",
    "Problem",
    "Retry",
    "SprigError",
    "Statistics",
    "Step",
    "Stroke",
    "TooDearError",
    "Tree",
    "UnreachableError",
    "Worker",
    "Workers",
    "to_dataframe",
]
