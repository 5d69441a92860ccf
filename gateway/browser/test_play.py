"""Games against the program: drawn with mouse and finger, chosen from the list, by the keyboard alone."""

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from pen import Picture, Point

# The page has gone on, or says why not.
ENDED = """(url) => {
  const said = document.querySelector(".hint")?.textContent ?? "";
  return location.href !== url || (said !== "" && !/^Draw |\\.\\.$/.test(said));
}"""
WON, LOST = "You have won.", "Sprig has won."
Stroke = list[Point]


class Board:
    """A game as the visitor sees it."""

    def __init__(self, visitor: Any, watch: Any) -> None:
        self.visitor, self.watch = visitor, watch
        self.page: Page = visitor.page

    def begin(self, **game: str) -> None:
        self.visitor.open("/play?" + "&".join(f"{name}={text}" for name, text in game.items()))
        self.ready()

    def ready(self) -> None:
        """Waits until one can draw, where a move is left."""
        if not self.is_over():
            expect(self.page.locator("svg.ink")).to_be_visible()
            expect(self.page.locator(".hint")).to_contain_text("Draw a curve")

    def is_over(self) -> bool:
        return self.verdict() in (WON, LOST)

    def verdict(self) -> str:
        return self.page.locator(".verdict strong").inner_text()

    def hint(self) -> str:
        return self.page.locator(".hint").inner_text()

    def moves(self) -> list[str]:
        return self.page.locator("ol.history li").all_inner_texts()

    def picture(self) -> Picture:
        return Picture.seen(self.page, f"/v1/positions/{self.position()}/picture.svg")

    def position(self) -> str:
        position = self.page.locator("figure[data-position]").get_attribute("data-position")
        assert position
        return position

    def read(self, stroke: Stroke) -> str | None:
        """Where a stroke would lead."""
        points = ";".join(f"{x:.1f},{y:.1f}" for x, y in stroke)
        answer = self.page.request.get(f"{self.visitor.address}/v1/positions/{self.position()}/stroke?points={points}")
        return answer.json().get("child")

    def on_screen(self, stroke: Stroke) -> list[Point]:
        """Where the points of a stroke are on the screen."""
        sheet = self.page.locator("svg.ink")
        sheet.scroll_into_view_if_needed()
        # The picture is neither turned nor stretched.
        scale, left, top = sheet.evaluate("(sheet) => { const m = sheet.getScreenCTM(); return [m.a, m.e, m.f]; }")
        return [(left + scale * x, top + scale * y) for x, y in stroke]

    def draw(self, stroke: Stroke) -> None:
        """Draws with the mouse."""
        mouse, points = self.page.mouse, self.on_screen(stroke)
        place = self.page.locator("svg.ink").bounding_box()
        mouse.move(*points[0])
        mouse.down()
        for point in points[1:]:
            mouse.move(*point)
        assert self.page.locator("svg.ink").bounding_box() == place, "the picture stays under the hand"
        mouse.up()

    def draw_with_finger(self, stroke: Stroke) -> None:
        """Draws with a finger."""
        points, hand = self.on_screen(stroke), self.page.context.new_cdp_session(self.page)
        for kind, (x, y) in [("touchStart", points[0]), *(("touchMove", point) for point in points[1:])]:
            hand.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": x, "y": y}]})
        hand.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})

    def play(self, stroke: Stroke, draw: Callable[[Stroke], None]) -> bool:
        """Draws, and says whether that was a move. What is refused is refused in words, and changes nothing."""
        before = (self.page.url, self.moves())
        draw(stroke)
        with self.watch.of("a curve is drawn until it is refused, or the answer is on the screen"):
            self.page.wait_for_function(ENDED, arg=before[0])
        if self.page.url != before[0]:
            self.ready()
            return True
        expect(self.page.locator("svg.ink path")).to_have_count(0)
        assert re.fullmatch(r"[A-Z].*\.", self.hint()) and len(self.hint()) > 20, self.hint()
        assert before == (self.page.url, self.moves())
        return False


@pytest.fixture
def board(watch: Any) -> Callable[[Any], Board]:
    return lambda visitor: Board(visitor, watch)


def who_moved_last(moves: list[str]) -> str:
    return moves[-1].split()[0]


@pytest.mark.parametrize(("start", "first"), [("0*3", "you"), ("0*2", "sprig"), ("0*4", "you")])
def test_who_can_win_wins_with_the_mouse(visit: Any, board: Any, start: str, first: str) -> None:
    with visit() as visitor:
        game = board(visitor)
        game.begin(start=start, first=first, hints="on")
        while not game.is_over():
            expect(game.page.locator(".verdict")).to_contain_text("You can win from here")
            winning = game.page.locator("a[data-child]", has=game.page.locator(".badge.win"))
            wanted = {link.get_attribute("data-child") for link in winning.all()}
            strokes = itertools.islice(game.picture().strokes(seed=len(game.moves())), 200)
            winning_strokes = (stroke for stroke in strokes if game.read(stroke) in wanted)
            assert any(game.play(stroke, game.draw) for stroke in winning_strokes), game.page.url
        assert game.verdict() == WON and who_moved_last(game.moves()) == "You"


@pytest.mark.parametrize(
    ("is_phone", "start", "first", "play"),
    [(False, "0*5", "you", "normal"), (False, "0*3", "sprig", "misere"), (True, "0*3", "sprig", "normal")],
)
def test_games_are_drawn_to_their_end(
    visit: Any, board: Any, is_phone: bool, start: str, first: str, play: str
) -> None:
    size = "phone" if is_phone else "desktop"
    with visit(size, has_touch=is_phone, is_mobile=is_phone, color_scheme="dark" if is_phone else "light") as visitor:
        game = board(visitor)
        game.begin(start=start, first=first, play=play)
        hand = game.draw_with_finger if is_phone else game.draw
        while not game.is_over():
            # Whatever comes to mind is drawn, until it is a move.
            strokes = itertools.islice(game.picture().strokes(seed=len(game.moves())), 100)
            assert any(game.play(stroke, hand) for stroke in strokes), game.page.url
        made_last = who_moved_last(game.moves())
        assert game.verdict() == (WON if (made_last == "You") == (play == "normal") else LOST)


@pytest.mark.parametrize("size", ["phone", "desktop"])
def test_what_is_no_move_is_refused_in_words_and_loses_nothing(visit: Any, board: Any, size: str) -> None:
    with visit(size) as visitor:
        game = board(visitor)
        game.begin(start="0*2.AB~AB")
        picture = game.picture()
        (first, second), corner = [(s.x, s.y) for s in picture.living()[:2]], (2.0, 2.0)
        curve = picture.curves[0]
        inside = (sum(x for x, _ in curve) / len(curve), sum(y for _, y in curve) / len(curve))
        bow = [(first[0] + 20 * math.sin(t / 5), first[1] + 20 * math.sin(t / 2.5)) for t in range(5, 40)]
        for stroke, words in [
            ([corner, first], "does not begin at a spot"),
            ([first, corner], "does not end at a spot"),
            ([first, inside, second], "crosses or touches"),
            ([first, *bow, second], "crosses or touches"),
            ([first, first], "crosses or touches"),
        ]:
            assert not game.play(stroke, game.draw), stroke
            assert words in game.hint(), (words, game.hint())
        # The other button draws nothing.
        game.page.mouse.click(*game.on_screen([first])[0], button="right")
        assert any(game.play(stroke, game.draw) for stroke in itertools.islice(picture.strokes(1), 50))
        assert len(game.moves()) == 2


def test_without_webassembly_the_server_reads_what_is_drawn(visit: Any, board: Any) -> None:
    with visit() as visitor:
        visitor.page.add_init_script("delete globalThis.WebAssembly")
        game = board(visitor)
        game.begin(start="0*4")
        strokes = itertools.islice(game.picture().strokes(1), 50)
        stroke = next(stroke for stroke in strokes if game.read(stroke))
        with game.page.expect_response(re.compile("/stroke")) as answered:
            assert game.play(stroke, game.draw)
        assert answered.value.ok and len(game.moves()) == 2
        # Where the network is gone, that is said.
        stroke = next(game.picture().strokes(1))
        visitor.page.context.set_offline(True)
        game.draw(stroke)
        expect(game.page.locator(".hint")).to_contain_text("does not answer")
        visitor.page.context.set_offline(False)
        visitor.complaints.clear()


def test_sprig_shows_its_answer_as_a_curve(visit: Any, board: Any) -> None:
    with visit() as visitor:
        game = board(visitor)
        game.begin(start="0*5", first="sprig")
        reply = game.page.locator("figure.reply")
        expect(reply).to_contain_text("Sprig drew")
        address = reply.locator("img").get_attribute("src")
        assert 'class="move"' in visitor.page.request.get(visitor.address + address).text()


def test_a_move_is_shown_as_a_curve_while_one_is_on_it(visit: Any, board: Any) -> None:
    with visit() as visitor:
        for path in ("/p/0*4", "/play?start=0*4"):
            visitor.open(path)
            image, page = visitor.page.locator("figure.large img"), visitor.page
            plain = image.get_attribute("src")
            card = page.locator("a[data-child]").first
            card.hover()
            expect(image).to_have_attribute("src", re.compile(r"child="))
            page.mouse.move(0, 0)
            expect(image).to_have_js_property("src", visitor.address + plain)
            card.focus()
            expect(image).to_have_attribute("src", re.compile(r"child="))
            assert image.evaluate("async (image) => { await image.decode(); return image.naturalWidth }") > 50


def test_going_back_takes_a_drawn_move_back(visit: Any, board: Any) -> None:
    with visit() as visitor:
        game = board(visitor)
        game.begin(start="0*4")
        begun = game.page.url
        assert any(game.play(stroke, game.draw) for stroke in itertools.islice(game.picture().strokes(1), 50))
        game.page.go_back(wait_until="commit")
        assert game.page.url == begun and game.moves() == []
        game.ready()
        expect(game.page.locator("svg.ink path")).to_have_count(0)
        assert any(game.play(stroke, game.draw) for stroke in itertools.islice(game.picture().strokes(2), 50))


def test_a_game_from_the_list_needs_no_scripts(visit: Any, board: Any) -> None:
    with visit("phone", java_script_enabled=False) as visitor:
        visitor.open("/play")
        page: Page = visitor.page
        page.get_by_label("Spots, or a position").fill("4")
        page.get_by_label("Who begins").select_option("Sprig")
        page.get_by_role("button", name="Begin").click()
        game = board(visitor)
        assert len(game.moves()) == 1
        # A move, back, and the same again; with hints and without.
        cards = page.locator("a[data-child]")
        cards.first.click()
        assert len(game.moves()) == 3
        page.get_by_role("link", name="Take back").click()
        assert len(game.moves()) == 1
        page.get_by_role("link", name="Show hints").click()
        assert page.locator("#moves .badge").count() == cards.count() > 1
        page.get_by_role("link", name="Hide hints").click()
        assert page.locator("#moves .badge").count() == 0
        while not game.is_over():
            cards.last.click()
        assert game.verdict() == (WON if who_moved_last(game.moves()) == "You" else LOST)
        page.get_by_role("link", name="Take back").click()
        assert not game.is_over()


def test_a_game_needs_nothing_but_keys(visit: Any, board: Any) -> None:
    with visit() as visitor:
        game, page = board(visitor), visitor.page
        visitor.open("/play")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        # The first key leads past what is above every page.
        page.wait_for_url("**/play#content")
        step_to(page, page.get_by_label("Spots, or a position"))
        page.keyboard.press("Control+A")
        page.keyboard.type("3")
        page.keyboard.press("Enter")
        while not game.is_over():
            game.ready()
            made = len(game.moves())
            step_to(page, page.locator("a[data-child]").first)
            page.keyboard.press("Enter")
            expect(page.locator("ol.history li")).not_to_have_count(made)
        assert game.moves()


def step_to(page: Page, wanted: Locator) -> None:
    """Presses Tab until the focus is there. Each stop can be seen."""
    for _ in range(60):
        page.keyboard.press("Tab")
        outline = page.evaluate("getComputedStyle(document.activeElement).outline")
        assert "solid" in outline and "3px" in outline, (outline, page.evaluate("document.activeElement.outerHTML"))
        if wanted.evaluate("(element) => element === document.activeElement"):
            return
    raise AssertionError("keys do not lead there")
