"""Impossible! in a browser, without a script: rows that are asked about, and a game that ends with a challenge."""

from typing import Any

from playwright.sync_api import expect


def test_rows_are_asked_about_by_forms_alone(visit: Any) -> None:
    for size in ("phone", "desktop"):
        with visit(size, java_script_enabled=False) as visitor:
            page = visitor.page
            visitor.open("/")
            page.get_by_role("link", name="With cards: Impossible!").click()
            # The rows of the document stand in the form.
            page.get_by_role("button", name="Ask").click()
            verdict = page.locator(".verdict strong")
            expect(verdict).to_have_text("Impossible!")
            expect(page.get_by_role("heading", name="Why it is impossible")).to_be_visible()
            page.get_by_label("Three cards a row").fill("R3 B3 R0\nB0 R3 B2")
            page.locator("#show-rows").select_option("the rows alone; I try first")
            page.get_by_role("button", name="Ask").click()
            expect(verdict).to_have_text("Can you meet it?")
            page.get_by_role("group", name="Row 1").get_by_label("black 3").check()
            page.get_by_role("group", name="Row 2").get_by_label("black 10").check()
            page.get_by_role("button", name="Turn them over").click()
            expect(verdict).to_have_text("You meet it.")
            page.get_by_role("link", name="Show the answer").click()
            expect(verdict).to_have_text("It can be met.")


def test_a_game_ends_with_a_challenge(visit: Any) -> None:
    for size in ("phone", "desktop"):
        with visit(size, java_script_enabled=False) as visitor:
            page = visitor.page
            visitor.open("/impossible/play")
            page.get_by_label("Sprig challenges wrongly").select_option("always")
            page.get_by_label("Seed").fill("1")
            page.get_by_role("button", name="Deal").click()
            verdict = page.locator(".verdict strong")
            expect(verdict).to_have_text("Your row.")
            hand = page.get_by_role("group", name="Choose three cards").get_by_role("checkbox")
            # From the fourth row on it challenges; the rows before leave the table possible.
            while page.get_by_role("heading", name="Your hand").count():
                for place in range(3):
                    hand.nth(place).check()
                page.get_by_role("button", name="Lay them as a row").click()
            expect(verdict).to_have_text("Sprig says “Impossible!” to your row.")
            expect(page.locator(".verdict span")).to_contain_text("You have until")
            rows = page.get_by_role("group")
            for row in range(rows.count()):
                rows.nth(row).get_by_role("radio").first.check()
            page.get_by_role("button", name="Turn them over").click()
            expect(verdict).to_have_text("Sprig has won.")
            page.get_by_role("link", name="The same cards again").click()
            expect(verdict).to_have_text("Your row.")
