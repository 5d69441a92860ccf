"""The engine in Python: the same answers as the program's, and errors that say what to do."""

import gzip
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy
import pytest

import sprig_engine as sprig

CERTIFICATES = Path(__file__).parents[3] / "certificates"

TEXTS = ["0*5", "0*2.AB|AB", "0*3.AB|0.2.AC|BC.1", "1ab2bc1ca", "0.ABC|ABD|CD", "0.A|0*3.A+0*2", "22", "!"]


@pytest.mark.parametrize("text", TEXTS)
def test_it_says_what_the_program_says(program: Path, text: str) -> None:
    def said(*command: str) -> list[str]:
        return subprocess.run([program, *command], check=True, capture_output=True, text=True).stdout.splitlines()

    canonical = said("canon", text)
    assert [sprig.canon(text)] == canonical
    assert sorted(sprig.children(text)) == sorted(said("children", text))
    assert sprig.draw(text) == "\n".join([*said("draw", text), ""])


def test_random_games_are_drawn_move_by_move() -> None:
    dice = random.Random(17)
    for spots in (2, 3, 4, 5):
        position = sprig.Position(spots)
        while not position.is_over:
            assert [move.child for move in position.moves] == [str(child) for child in position.children]
            move = dice.choice(position.moves)
            points = sprig.route(position, move)
            assert points is not None, (position, move)
            drawn = sprig.read_stroke(position, points)
            assert drawn.child == move.child, (position, move)
            assert 'class="move"' in position.svg(child=move)
            position = sprig.Position(move)


def test_positions_are_values() -> None:
    one, other = sprig.Position("1ab2bc1ca"), sprig.Position("1ab1bc2ca")
    assert one == other and len({one, other}) == 1 and one != sprig.Position(2)
    assert sprig.Position(numpy.int64(2)) == sprig.Position(2)
    assert str(sprig.Position(2) + sprig.Position(3)) == sprig.canon("0*2+0*3")
    assert sprig.Position("!") + sprig.Position("!") == sprig.Position("!")
    assert [land.lives for land in sprig.Position("0*2+0*3").lands] == [6, 9]
    assert sprig.Position("0*2+0*3").lives == 15
    assert one._repr_svg_().startswith("<svg")


@pytest.mark.parametrize(
    ("text", "column"), [("0*2.AX", 5), ("", 1), ("\x00", 1), ("🌀", 1), ("0*" + "9" * 5000, 2), ("A" * 100_000, 1)]
)
def test_what_is_no_position_has_its_column(text: str, column: int) -> None:
    with pytest.raises(sprig.NoPositionError) as caught:
        sprig.canon(text)
    assert caught.value.column == column and len(str(caught.value)) > 20


def test_other_mistakes_are_told_in_words() -> None:
    with pytest.raises(sprig.MisdrawnError, match="does not begin at a spot"):
        sprig.read_stroke(2, [(-50, -50), (0, 0)])
    with pytest.raises(sprig.MisdrawnError, match="one stroke"):
        sprig.read_stroke(2, [])
    with pytest.raises(sprig.MisdrawnError, match="too far"):
        sprig.read_stroke(2, [(float("nan"), 0), (1e300, 0)])
    with pytest.raises(sprig.TooDearError, match="plane"):
        sprig.draw("0*3.1aAaB|0*3.AB")
    with pytest.raises(sprig.TooDearError, match="no curve"):
        sprig.draw(14, child="0*13.AB|AB")
    with pytest.raises(sprig.SprigError, match="no move in `0\\*3` leads to `0\\*7`") as caught:
        sprig.draw(3, child=7)
    assert not isinstance(caught.value, sprig.TooDearError), "nothing is too dear"
    with pytest.raises(sprig.TooDearError, match="ways to move"):
        sprig.children("0." + ".".join("12" for _ in range(40)))
    with pytest.raises(sprig.SprigError, match="theme"):
        sprig.draw(2, theme="pink")  # type: ignore[arg-type]
    for wrong in (True, None, 1.5):
        with pytest.raises(TypeError, match="a position is"):
            sprig.canon(wrong)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="unsupported operand"):
        sprig.Position(2) + 2  # type: ignore[operator]


def test_certificates_are_checked() -> None:
    told: list[tuple[int, int]] = []
    proof = sprig.verify(CERTIFICATES / "normal" / "14.cert", progress=lambda done, facts: told.append((done, facts)))
    assert (proof.position, proof.play, proof.claim) == ("0*14", "normal", "loss for the player to move")
    assert told and all(done <= facts == proof.facts for done, facts in told)
    misere = sprig.verify((CERTIFICATES / "misere" / "5.cert").read_bytes())
    assert (misere.position, misere.play) == ("0*5", "misere") and misere.base


def test_what_proves_nothing_is_refused() -> None:
    whole = (CERTIFICATES / "normal" / "8.cert").read_bytes()
    text = gzip.decompress(whole)
    for changed in (b"", b"x" * 100, whole[:-40], text.replace(b"claim loss", b"claim win"), text[:-1]):
        with pytest.raises(sprig.RefusedError):
            sprig.verify(changed)
    with pytest.raises(FileNotFoundError):
        sprig.verify("no such file")


def test_others_go_on_meanwhile_and_an_error_of_the_user_comes_back() -> None:
    counted = 0

    def count() -> None:
        nonlocal counted
        while not done.is_set():
            counted += 1
            time.sleep(0.001)

    done = threading.Event()
    thread = threading.Thread(target=count)
    thread.start()
    try:
        sprig.verify(CERTIFICATES / "normal" / "16.cert")
    finally:
        done.set()
        thread.join()
    assert counted > 3

    def fail(*_: int) -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        sprig.verify(CERTIFICATES / "normal" / "24.cert", progress=fail)


def test_ctrl_c_ends_it() -> None:
    # Where tests run in the background, a process is born deaf to Ctrl-C.
    program = """
import signal, sys, sprig_engine
signal.signal(signal.SIGINT, signal.default_int_handler)
print("go", flush=True)
sprig_engine.verify(sys.argv[1])
"""
    command = [sys.executable, "-c", program, str(CERTIFICATES / "misere" / "12.cert")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout and process.stdout.readline() == "go\n"
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=20)
    assert "KeyboardInterrupt" in said, said
