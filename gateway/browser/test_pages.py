"""Every kind of page, on phones and desktops, in light and dark colours, with and without scripts."""

from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

from conftest import SIZES

PAGES = {
    "start": "/",
    "position": "/p/0*5",
    "lands": "/p/0*2.AB~AB+0*3",
    "misere": "/p/0*4?play=misere",
    "many-moves": "/p/0.1a1a.AB~0*2.AC~BC.1",
    "large": "/p/0*40",
    "unknown": "/p/0*12",
    "end": "/p/!",
    "line": "/p/0*5/line",
    "proof": "/p/0*5/certificate",
    "misere-proof": "/p/0*4/certificate?play=misere",
    "no-proof": "/p/0*12/certificate",
    "about": "/about",
    "work": "/work",
    "job": "/jobs/4",
    "credit": "/credit",
    "surface": "/p/0*2.zy.zy",
    "over-long": "/p/" + "0." * 1_000 + "0",
    "play": "/play",
    "game": "/play?start=0*4&first=sprig&hints=on",
    "game-over": "/play?start=AB~AB&moves=0",
    "pousse": "/pousse",
    "pousse-values": "/pousse?size=3&moves=L1.T2.B3",
    "pousse-game": "/pousse?size=4&side=x",
    "pousse-over": "/pousse?size=2&side=o&moves=T1.B2.L2",
    "pousse-record": "/pousse/record?record=3+B3+B3+T3+L2+B1+L1+B1+T1+QUIT",
    "pousse-no-record": "/pousse/record?record=4%0D%0AL5",
    "impossible": "/impossible",
    "impossible-met": "/impossible?rows=R3+B3+R0/B0+R3+B2",
    "impossible-core": "/impossible?rows=R3+B3+R0/B0+R3+B2/R2+B0+BQ/RK+RK+BK",
    "impossible-try": "/impossible?deal=8&seed=2&try=on",
    "impossible-no-rows": "/impossible?rows=R3+B3",
    "impossible-begin": "/impossible/play",
    "impossible-game": "/impossible/play?seed=1&begins=sprig",
    "no-position": "/p/0*2x",
    "no-page": "/nowhere",
}
STATUS = {
    "no-position": 400,
    "pousse-no-record": 400,
    "impossible-no-rows": 400,
    "over-long": 400,
    "no-page": 404,
    "no-proof": 404,
}


def test_every_page_is_for_everybody(visit: Any, pytestconfig: pytest.Config) -> None:
    folder: Path | None = pytestconfig.getoption("--pictures")
    if folder:
        folder.mkdir(parents=True, exist_ok=True)
    for size in SIZES:
        for colours in ("light", "dark"):
            with visit(size, color_scheme=colours, reduced_motion="reduce") as visitor:
                for name, path in PAGES.items():
                    look(visitor, name, path)
                    assert not barriers(visitor.page), (name, size, colours)
                    if folder:
                        visitor.page.screenshot(path=folder / f"{name}-{size}-{colours}.png", full_page=True)


def test_barriers_are_found(visit: Any) -> None:
    with visit() as visitor:
        visitor.open("/")
        assert not barriers(visitor.page)
        visitor.page.evaluate("document.querySelector('h1').style.color = '#ccc'")
        visitor.page.evaluate("document.body.append(document.createElement('button'))")
        found = barriers(visitor.page)
        assert len(found) == 2 and all(found), found


def test_no_page_needs_scripts(visit: Any) -> None:
    for size in SIZES:
        with visit(size, java_script_enabled=False) as visitor:
            for name, path in PAGES.items():
                look(visitor, name, path)


def test_moves_stand_by_the_picture(visit: Any) -> None:
    for path in ("/p/0*2.AB|0*5.AB", "/play?start=0*2.AB|0*6.AB&first=sprig"):
        with visit("phone") as visitor:
            visitor.open(path)
            picture, moves = places(visitor.page)
            assert 0 <= moves["top"] - picture["bottom"] <= 24, (path, picture, moves)
        with visit() as visitor:
            visitor.open(path)
            picture, moves = places(visitor.page)
            assert picture["right"] < moves["left"] and abs(picture["top"] - moves["top"]) < 140, (path, picture, moves)
            # Further down the picture is still there, and the moves have gone on.
            visitor.page.evaluate("[...document.querySelectorAll('#moves li')].at(-1).scrollIntoView({ block: 'end' })")
            stayed, gone = places(visitor.page)
            assert gone["top"] < 0 <= stayed["top"] < stayed["bottom"] <= SIZES["desktop"]["height"], (
                path,
                stayed,
                gone,
            )


def places(page: Page) -> list[dict[str, float]]:
    """Where the picture and the moves are on the screen."""
    boxes = "['figure.large', '#moves'].map((each) => document.querySelector(each).getBoundingClientRect().toJSON())"
    found: list[dict[str, float]] = page.evaluate(boxes)
    return found


def look(visitor: Any, name: str, path: str) -> None:
    """Opens a page: it answers, is no wider than the screen, and has all its pictures."""
    response, page = visitor.open(path), visitor.page
    status = STATUS.get(name, 200)
    assert response.status == status, path
    if status != 200:
        # The browser complains that the page itself is a problem, which it is to be.
        complaint = visitor.complaints.pop()
        assert "Failed to load resource" in complaint and str(status) in complaint
    wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert wide[0] <= wide[1], f"{path} is {wide[0]} wide on a screen of {wide[1]}"
    # Those further down load when they are scrolled to; a picture that is broken is an error here.
    page.evaluate("for (const image of document.images) image.loading = 'eager'")
    page.evaluate("Promise.all([...document.images].map((image) => image.decode()))")
    assert page.locator("h1").count() == 1 and page.title().endswith(" · Sprig")


def barriers(page: Page) -> list[str]:
    """What keeps people out."""
    rules = Axe().run(page).response["violations"]
    grave = (rule for rule in rules if rule["impact"] in ("serious", "critical"))
    return [f"{rule['help']}: {node['html']}" for rule in grave for node in rule["nodes"]]
