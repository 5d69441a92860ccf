"""The engine in the visitor's browser says what the engine of the program says."""

import random
import subprocess
from pathlib import Path
from typing import Any

FORMS = 1_000

# Asks the worker of the page one question after the other.
ASK = """async (questions) => {
  const worker = new Worker("/assets/board.js");
  const answers = [];
  for (const [number, question] of questions.entries()) {
    const answer = new Promise((said) => { worker.onmessage = ({ data }) => said(data) });
    worker.postMessage({ number, question });
    answers.push(await answer);
  }
  worker.terminate();
  return answers;
}"""


def ask(visitor: Any, questions: list[str]) -> list[dict[str, Any]]:
    answers: list[dict[str, Any]] = visitor.page.evaluate(ASK, questions)
    return answers


def positions(visitor: Any) -> list[str]:
    """Positions of random games, as their moves are listed in the browser."""
    dice, found = random.Random(17), []
    while len(found) < FORMS:
        position = f"0*{dice.randint(2, 7)}"
        while len(found) < FORMS:
            moves = ask(visitor, [f"moves\n{position}"])[0]["answer"].splitlines()[1:]
            if not moves:
                break
            children = [move.split("\t")[0] for move in moves]
            found += dice.sample(children, min(3, len(children)))
            position = dice.choice(children)
    return found[:FORMS]


def shuffled(position: str, dice: random.Random) -> str:
    """The same position, written in another order."""
    lands = []
    for land in position.split("+"):
        regions = land.split("|")
        dice.shuffle(regions)
        lands.append("|".join(regions))
    dice.shuffle(lands)
    return "+".join(lands)


def test_a_thousand_canonical_forms_are_those_of_the_program(
    visit: Any, sprig: Path, environment: dict[str, str], tmp_path: Path
) -> None:
    with visit() as visitor:
        visitor.open("/play?start=0*3")
        dice = random.Random(18)
        texts = [shuffled(position, dice) for position in positions(visitor)]
        answers = ask(visitor, [f"canon\n{text}" for text in texts])
        file = tmp_path / "positions"
        file.write_text("".join(text + "\n" for text in texts))
        native = [sprig, "canon", "--file", file]
        said = subprocess.run(native, env=environment, check=True, capture_output=True, text=True).stdout
        canonical = [line.split("\t")[1] for line in said.splitlines()]
        assert [answer["answer"] for answer in answers] == [f"ok\n{text}" for text in canonical]
        assert len(set(canonical)) > 300


def test_every_move_of_random_games_is_a_curve_that_reads_as_it(visit: Any, watch: Any) -> None:
    with visit() as visitor:
        visitor.open("/play?start=0*3")
        dice = random.Random(19)
        for spots in range(2, 9):
            position = f"0*{spots}"
            while True:
                moves = ask(visitor, [f"moves\n{position}"])[0]["answer"].splitlines()[1:]
                if not moves:
                    break
                children = [move.split("\t")[0] for move in moves]
                some = dice.sample(children, min(6, len(children)))
                routes = ask(visitor, [f"route\n{position}\n{child}" for child in some])
                for child, route in zip(some, routes, strict=True):
                    watch.add("a move is routed in the browser", route["milliseconds"])
                    first, points = route["answer"].split("\n")
                    assert first == "ok", (position, child, route)
                    read = ask(visitor, [f"stroke\n{position}\n{points}"])[0]
                    watch.add("a curve is read in the browser", read["milliseconds"])
                    assert read["answer"].splitlines()[:2] == ["ok", child], (position, child, read)
                position = dice.choice(children)


def test_the_engine_draws_what_the_server_draws(visit: Any) -> None:
    with visit() as visitor:
        visitor.open("/play?start=0*3")
        for position in ("0*5", "0*2.AB|AB", "0*3.AB|0.2.AC|BC.1", "1ab2bc1ca+0*2"):
            drawn = ask(visitor, [f"draw\ndark\noff\n{position}"])[0]["answer"]
            path = position.replace("|", "~").replace("+", "%2B")
            served = visitor.page.request.get(
                f"{visitor.address}/v1/positions/{path}/picture.svg?theme=dark&labels=off"
            )
            assert drawn == "ok\n" + served.text()


def test_nonsense_is_refused_in_words_and_the_engine_goes_on(visit: Any) -> None:
    with visit() as visitor:
        visitor.open("/play?start=0*3")
        nonsense = ["", "canon", "canon\n0*2.AX", "draw\npink\non\n0*3", "stroke\n0*3\nx", "moves\n" + "A" * 5_000]
        nonsense += ["stroke\n0*2\n0,0;1,1", "route\n0*3\n0*9", "route\n0*40\n!", "canon\n0*99999999999"]
        answers = ask(visitor, [*nonsense, "canon\n0*3"])
        for question, said in zip(nonsense, answers, strict=False):
            assert said["answer"].startswith("no ") and len(said["answer"]) > 15, (question, said)
        assert answers[-1]["answer"] == "ok\n0*3"
