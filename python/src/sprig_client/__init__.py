"""Who wins at Sprouts: a client of Sprig's explorer.

from sprig_client import Client

with Client() as sprig:
    print(sprig.position("0*2.AB|AB").outcome)
"""

from ._answers import (
    Ban,
    Branch,
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
    Looker,
    Move,
    Origin,
    Outcome,
    Play,
    Position,
    Sight,
    Statistics,
    Step,
    Stroke,
    Tree,
    View,
    Wish,
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
    "Branch",
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
    "Looker",
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
    "Sight",
    "SprigError",
    "Statistics",
    "Step",
    "Stroke",
    "TooDearError",
    "Tree",
    "UnreachableError",
    "View",
    "Wish",
    "Worker",
    "Workers",
    "to_dataframe",
]
