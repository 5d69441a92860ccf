"""Answers of a real explorer, typed."""

import gzip
from typing import Any, SupportsIndex

import numpy
import pytest

from sprig_client import (
    Client,
    Course,
    Curve,
    MisdrawnError,
    Move,
    NoPositionError,
    OpenCourse,
    Position,
    Problem,
    SharedCourse,
    SprigError,
    TooDearError,
    to_dataframe,
)


def test_a_position_is_what_the_database_knows(sprig_client: Client) -> None:
    found = sprig_client.position("0*2.AB|AB+0*3")
    assert (found.position, found.play, found.outcome, found.nimber) == ("0*2.AB|AB+0*3", "normal", "win", 3)
    assert [(land.land, land.nimber) for land in found.lands] == [("0*2.AB|AB", 2), ("0*3", 1)]
    origin = found.lands[1].origin
    assert origin and origin.build.startswith("sprig ") and origin.time.year >= 2025
    assert found.links.page.startswith(sprig_client.address + "/p/")
    assert sprig_client.position(12).outcome is None, "what is not known is no error"
    assert str(found) == "0*2.AB|AB+0*3: win for the player to move, nimber 3"
    assert str(sprig_client.position(12, play="misere")) == "0*12: it is not known who wins (misère play)"
    assert hash(found) == hash(sprig_client.position("0*2.AB|AB+0*3"))


@pytest.mark.parametrize(("spots", "text"), [(1, "0"), (2, "0*2"), (14, "0*14"), (numpy.int64(5), "0*5")])
def test_a_number_is_a_number_of_spots(sprig_client: Client, spots: SupportsIndex, text: str) -> None:
    # As a text, `1` and `2` are single spots with curve ends.
    assert sprig_client.position(spots).canonical == text


@pytest.mark.parametrize("wrong", [None, True, numpy.True_, 5.0, b"0*5", ["0*5"]])
def test_what_can_be_no_position_is_said(sprig_client: Client, wrong: Any) -> None:
    for ask in (sprig_client.position, lambda position: list(sprig_client.batch([5, position]))):
        with pytest.raises(TypeError, match="a position is .* and no"):
            ask(wrong)


def test_moves_come_page_after_page_the_best_first(sprig_client: Client) -> None:
    start = sprig_client.position("0.1a1a.AB|0*2.AC|BC.1")
    moves = list(sprig_client.moves(start))
    counts = sprig_client.counts(start)
    assert len(moves) == counts.total == 33
    worth = [move.outcome for move in moves]
    assert [worth.count("loss"), worth.count(None), worth.count("win")] == [
        counts.winning,
        counts.unknown,
        counts.losing,
    ]
    assert list(sprig_client.moves(start, page=7)) == moves
    # Nothing is asked that is not needed.
    few = sprig_client.moves(start, page=1)
    assert [next(few), next(few)] == moves[:2]
    # A move that leads to a loss wins; it can be followed as it is.
    best = next(sprig_client.moves(4))
    assert isinstance(best, Move) and best.outcome == "loss"
    assert sprig_client.position(best).outcome == "loss"
    assert (best.witness.begin, best.witness.end) == ((0, 0), (0, 0))


def test_different_moves_are_different_curves(sprig_client: Client, black_and_white: str) -> None:
    def witnesses(client: Client, position: int | str) -> dict[str, Curve]:
        found = {move.words: move.witness for move in client.moves(position)}
        assert len(set(found.values())) == len(found) > 4
        return found

    torus = witnesses(sprig_client, "0*3@1")
    assert torus["[0], through a handle"].course == Course(open=OpenCourse(one_sided=False, genus=0, turned=()))
    assert torus["[0], with a handle"].course == Course(shared=SharedCourse(genus=(1, 0), turned=()))
    assert torus["[0] around 0"].course is None
    assert "crossed" in [curve.course for curve in witnesses(sprig_client, "1AB.1AB@-1|0").values()]
    assert not any(curve.without_spot for curve in torus.values())
    with Client(black_and_white) as client:
        bare = {words for words, curve in witnesses(client, 4).items() if curve.without_spot}
    assert bare and all("without a spot" in words for words in bare)


def test_a_line_leads_to_the_end(sprig_client: Client) -> None:
    line = sprig_client.line(3)
    assert line.ended and [step.length for step in line.steps] == [6, 5, 4, 3, 2, 1, 0]
    assert line.steps[-1].child == "!"
    assert sprig_client.line(3, play="misere").play == "misere"


def test_a_proof_can_be_read_and_kept(sprig_client: Client) -> None:
    lines = gzip.decompress(sprig_client.certificate(4)).decode().splitlines()
    assert lines[:5] == ["sprig certificate 1", "game sprouts", "play normal", "position 0*4", "claim win"]
    assert lines[-1].startswith("blake3 ")
    assert b"play misere" in gzip.decompress(sprig_client.certificate(3, play="misere"))
    with pytest.raises(SprigError, match="no proof"):
        sprig_client.certificate(12)


def test_pictures_and_strokes(sprig_client: Client) -> None:
    assert sprig_client.picture("AB|AB", theme="dark", labels=False).startswith("<svg")
    shown = sprig_client.position("AB|AB")
    assert shown._repr_svg_() == sprig_client.picture("AB|AB")
    with pytest.raises(MisdrawnError, match="does not begin at a spot"):
        sprig_client.stroke("AB|AB", [(-500, -500), (500.25, 500)])


def test_a_notebook_has_words_where_there_is_no_picture(sprig_client: Client) -> None:
    # It has more bytes than are drawn.
    lands = [f"0*{inside}.AB|0*{outside}.AB" for inside in range(1, 8) for outside in range(inside, 8)]
    long = sprig_client.position("+".join(lands))
    assert long._repr_svg_() is None


def test_a_batch_is_answered_in_its_order(sprig_client: Client) -> None:
    asked: list[str | int] = ["0*2x" if spots % 50 == 49 else 2 + spots % 7 for spots in range(230)]
    answers = list(sprig_client.batch(iter(asked)))
    assert len(answers) == len(asked)
    for text, answer in zip(asked, answers, strict=True):
        match answer:
            case Position():
                assert answer.canonical == f"0*{text}" and answer.outcome
            case Problem(column=column, position=position):
                assert (text, column) == (position, 4)
    assert list(sprig_client.batch([])) == []
    # Each of these is one line, whatever Python calls a line, and too long to be read.
    strange = ["0*2\u2028x", "0*2\x85x", *["0*2+" * 5_000] * 30]
    kinds = [each.kind for each in sprig_client.batch(strange) if isinstance(each, Problem)]
    assert kinds == ["no-position"] * 2 + ["too-long"] * 30
    assert [each.play for each in sprig_client.batch([3], play="misere") if isinstance(each, Position)] == ["misere"]


def test_mistakes_have_a_column_and_a_remedy(sprig_client: Client) -> None:
    with pytest.raises(NoPositionError, match="occurs once") as raised:
        sprig_client.position("0*2.AX")
    assert raised.value.column == 5 and "notation" in raised.value.remedy
    assert raised.value.problem.kind == "no-position" and raised.value.remedy in str(raised.value)
    with pytest.raises(TooDearError, match="1001 spots"):
        sprig_client.position("+".join(["0*91"] * 11))
    with pytest.raises(SprigError, match="1 to 1000") as refused:
        next(sprig_client.moves(3, page=0))
    assert refused.value.problem.status == 400
    for text in ("", "  ", "0*2\n0*3"):
        with pytest.raises(ValueError, match="one line"):
            sprig_client.position(text)
    for text in (".", "..", "a/b", "%", "?x=1", "#", "\x00", "é"):
        with pytest.raises(NoPositionError):
            sprig_client.position(text)


def test_answers_are_data_frames(sprig_client: Client) -> None:
    moves = to_dataframe(sprig_client.moves(5))
    assert list(moves["outcome"].dropna()) == ["loss"] and moves["nimber"].dtype.name == "Int64"
    assert moves["nimber"].isna().sum() == len(moves) - 1, "0 is known, and NA is not"
    assert list(to_dataframe(sprig_client.line(3))["length"]) == [6, 5, 4, 3, 2, 1, 0]
    mixed = to_dataframe(sprig_client.batch([3, "x"]))
    assert list(mixed["outcome"].isna()) == [False, True] and mixed["column"][1] == 1
    assert to_dataframe(sprig_client.position(3).lands)["origin.job"][0] >= 1


def test_facts_are_listed_one_by_one(sprig_client: Client) -> None:
    all_lands = list(sprig_client.lands(page=1000))
    statistics = sprig_client.statistics()
    assert statistics.verified and len(all_lands) == statistics.verified.nimbers > 100
    assert statistics.source == "database" and statistics.workers is None
    ones = list(sprig_client.lands(nimber=1, prefix="0*", page=7))
    assert ones == [found for found in all_lands if found.nimber == 1 and found.land.startswith("0*")]
    assert "0*3: nimber 1" in map(str, ones)
    with pytest.raises(SprigError, match="no tree"):
        sprig_client.tree("0123456789abcdef" * 2)


def test_jobs_are_remembered(sprig_client: Client) -> None:
    jobs = list(sprig_client.jobs(page=2))
    assert [job.id for job in jobs] == list(range(len(jobs), 0, -1)) and len(jobs) == 7
    assert {job.position for job in jobs} == {f"0*{spots}" for spots in range(2, 9)}
    job = sprig_client.job(1)
    assert job.state == "done" and job.question == "nimber" and job.history
    assert [event.event for event in job.history][0] == "submitted" and job.history[-1].event == "done"
    assert sprig_client.workers().workers is None
    with pytest.raises(SprigError, match="no job 99"):
        sprig_client.job(99)
