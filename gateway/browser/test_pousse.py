"""Pousse in a browser, without a script: a game against the solver, its values, its record."""

from typing import Any

from playwright.sync_api import expect


def test_a_game_is_played_by_links_alone(visit: Any) -> None:
    for size in ("phone", "desktop"):
        with visit(size, java_script_enabled=False) as visitor:
            page = visitor.page
            visitor.open("/")
            page.get_by_role("link", name="Another game: Pousse").click()
            page.get_by_label("Board").select_option("2 × 2")
            page.get_by_label("You play").select_option("O; Sprig begins")
            page.get_by_role("button", name="Begin").click()
            verdict = page.locator(".verdict strong")
            expect(verdict).to_have_text("You are O. Your move.")
            first = page.url
            # Sprig wins with the third marker, whatever the visitor does: at the board, and from the list.
            page.get_by_role("link", name="B2: push from the bottom into column 2").click()
            expect(verdict).to_have_text("Sprig has won.")
            page.get_by_role("link", name="Take back").click()
            assert page.url == first
            page.get_by_role("link", name="Show values").click()
            expect(page.get_by_role("region", name="Moves").locator(".badge")).to_have_text(["loss"] * 8)
            page.get_by_role("region", name="Moves").get_by_role("link", name="L2").click()
            expect(verdict).to_have_text("Sprig has won.")
            page.get_by_role("link", name="Record", exact=True).click()
            expect(page.locator(".verdict strong")).to_contain_text("X wins: straights")
            page.get_by_label("The record").fill("4\nL1\nL5\nQUIT")
            visitor.complaints.clear()
            page.get_by_role("button", name="Judge").click()
            expect(page.locator(".verdict strong")).to_have_text("Line 3, column 1")
            expect(page.get_by_label("The record")).to_have_value("4\nL1\nL5\nQUIT")
            # That the page is a problem is what the browser complains of, and nothing else.
            assert [("400" in said) for said in visitor.complaints] == [True]
            visitor.complaints.clear()
