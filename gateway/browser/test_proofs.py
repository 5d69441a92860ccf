"""Proofs are checked in the visitor's browser: what is one is taken, what was changed is refused."""

import gzip
import random
import re
from pathlib import Path
from typing import Any

import pytest
from blake3 import blake3
from playwright.sync_api import Page, expect

CERTIFICATES = Path(__file__).parents[2] / "certificates"
PROOF = "/p/0*8/certificate"
FILE = re.compile(r"/v1/positions/[^/]*/certificate")
ENDED = re.compile(r"^(Proved|Refused|The check broke off)")


def serve(page: Page, body: bytes) -> None:
    """Gives the browser this certificate in place of the one that the explorer makes."""
    page.unroute_all()
    page.route(FILE, lambda route: route.fulfill(body=body, content_type="application/gzip"))


def verdict(page: Page) -> str:
    """What the check says at its end."""
    said = page.locator("#verdict")
    expect(said).to_have_text(ENDED)
    return said.inner_text()


def again(page: Page) -> str:
    """The same of another check."""
    page.locator("#verdict").evaluate("said => { said.textContent = '' }")
    page.get_by_role("button", name="Check it in this browser").click()
    return verdict(page)


def test_a_proof_is_checked_without_being_asked(visit: Any) -> None:
    with visit() as visitor:
        visitor.open("/p/0*8")
        visitor.page.get_by_role("link", name="Proof").click()
        said = verdict(visitor.page)
        assert said.startswith("Proved: 0*8 is a loss for the player to move in normal play."), said
        visitor.open("/p/0*4/certificate?play=misere")
        assert "in misère play" in verdict(visitor.page)


# Facts of normal play, and misère play on the base 0*5: within ten seconds.
@pytest.mark.parametrize("name", ["normal/12", "normal/17", "misere/8", "misere/9"])
def test_what_ships_is_checked_soon(visit: Any, watch: Any, name: str) -> None:
    with visit() as visitor:
        serve(visitor.page, (CERTIFICATES / f"{name}.cert").read_bytes())
        visitor.open(PROOF)
        with watch.of(f"check of {name} in the browser"):
            assert verdict(visitor.page).startswith("Proved"), name
        assert watch.taken[f"check of {name} in the browser"][-1] < 10_000


def test_thirty_changes_are_refused(visit: Any) -> None:
    lines = gzip.decompress((CERTIFICATES / "normal/8.cert").read_bytes()).decode().splitlines()
    head, facts = lines[:6], lines[6:-1]
    luck = random.Random(20_261_124)
    places = luck.sample(range(len(facts)), 26)
    mutants = []
    for place in places[:13]:
        mutants.append(facts[:place] + facts[place + 1 :])
        land, nimber = facts[places[-1 - places.index(place)]].rsplit(" ", 1)
        changed = f"{land} {int(nimber) ^ 1}"
        mutants.append([changed if fact.startswith(land + " ") else fact for fact in facts])
    packed = [pack(head, mutant) for mutant in mutants]
    # The claim, the position, the bytes of the file, and its end.
    packed.append(pack([*head[:4], "claim win", head[5]], facts))
    packed.append(pack([*head[:3], "position 0*9", *head[4:]], facts))
    whole = bytearray(pack(head, facts))
    whole[len(whole) // 2] ^= 4
    packed += [bytes(whole), pack(head, facts)[:-40]]
    assert len(packed) == 30
    with visit() as visitor:
        page = visitor.page
        serve(page, pack(head, facts))
        visitor.open(PROOF)
        assert verdict(page).startswith("Proved"), "what was not changed is a proof"
        for number, mutant in enumerate(packed):
            serve(page, mutant)
            assert again(page).startswith("Refused"), number


def pack(head: list[str], facts: list[str]) -> bytes:
    """A certificate with a sound checksum."""
    lines = [*head[:5], f"facts {len(facts)}", *facts]
    text = "".join(line + "\n" for line in lines).encode()
    return gzip.compress(text + f"blake3 {blake3(text).hexdigest()}\n".encode())


def test_a_long_check_waits_shows_how_far_it_is_and_can_be_stopped(visit: Any) -> None:
    with visit("phone") as visitor:
        page = visitor.page
        # Its base of six spots takes half a minute.
        serve(page, (CERTIFICATES / "misere/12.cert").read_bytes())
        page.route("**/p/0*8/certificate", waits)
        visitor.open(PROOF)
        expect(page.locator("#verdict")).to_be_empty()
        page.get_by_role("button", name="Check it in this browser").click()
        expect(page.locator("#verdict")).to_contain_text("lands so far")
        expect(page.get_by_role("progressbar")).to_be_visible()
        page.get_by_role("button", name="Stop").click()
        expect(page.locator("#verdict")).to_contain_text("Stopped")
        expect(page.get_by_role("progressbar")).to_be_hidden()
        serve(page, (CERTIFICATES / "normal/8.cert").read_bytes())
        assert again(page).startswith("Proved"), "after a stop it goes on"


def waits(route: Any) -> None:
    """The page as it is for a proof of many facts: it waits for a click."""
    response = route.fetch()
    route.fulfill(response=response, body=response.text().replace("data-by-itself", "data-later"))


def test_a_browser_without_webassembly_says_so(visit: Any) -> None:
    with visit() as visitor:
        visitor.page.add_init_script("delete globalThis.WebAssembly")
        visitor.open(PROOF)
        expect(visitor.page.locator("#verdict")).to_contain_text("no WebAssembly")
        expect(visitor.page.get_by_role("button", name="Check it in this browser")).to_be_hidden()
