"""The page about work, over a real cluster: what goes on is seen without loading the page again."""

import re
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect
from test_pages import barriers

from conftest import SIZES


class Cluster:
    """A coordinator without workers, and the explorer that asks it; where it asks for tokens, visitors may steer."""

    def __init__(self, sprig: Path, environment: dict[str, str], processes: ExitStack) -> None:
        self.sprig, self.environment, self.processes = sprig, environment, processes
        self.coordinator = self.explorer = ""
        self.folder: Path | None = None

    def protect(self, folder: Path) -> None:
        """Has everybody show a token. Nobody can do anything with another's token."""
        self.folder = folder
        for role in ("read", "submit", "worker"):
            token = [self.sprig, "token", role, f"its-{role}", "--tokens", folder / "tokens", "--out", folder / role]
            subprocess.run(token, env=self.environment, check=True, stdout=subprocess.DEVNULL)

    def of(self, role: str) -> dict[str, str]:
        """The environment of a process with a token of this role, where tokens are asked for."""
        return self.environment | ({"SPRIG_TOKEN_FILE": str(self.folder / role)} if self.folder else {})

    def run(
        self, *command: str | Path, stderr: int = subprocess.DEVNULL, role: str = "worker"
    ) -> subprocess.Popen[str]:
        """Starts a process that ends with the test."""
        process = subprocess.Popen([self.sprig, *command], env=self.of(role), stderr=stderr, text=True)
        self.processes.callback(process.wait, 20)
        self.processes.callback(process.terminate)
        return process

    def start(self, *command: str | Path) -> str:
        """The same of a server. Gives the address that it says."""
        process = self.run(*command, stderr=subprocess.PIPE, role="read")
        assert process.stderr is not None
        for said in process.stderr:
            if found := re.search(r"http://\S+[0-9]", said):
                return found[0]
        raise AssertionError(f"{command} names no address")

    def submit(self, *question: str) -> None:
        submit = [self.sprig, "submit", *question, "--coordinator", self.coordinator]
        subprocess.run(submit, env=self.of("submit"), check=True, stdout=subprocess.DEVNULL)


@pytest.fixture
def cluster(sprig: Path, environment: dict[str, str], tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as processes:
        cluster = Cluster(sprig, environment, processes)
        cluster.coordinator = cluster.start("coordinator", "--db", tmp_path / "db", "--listen", "127.0.0.1:0")
        cluster.explorer = cluster.start("explore", "--coordinator", cluster.coordinator, "--listen", "127.0.0.1:0")
        yield cluster


@pytest.fixture
def guarded(sprig: Path, environment: dict[str, str], tmp_path: Path) -> Iterator[Cluster]:
    with ExitStack() as processes:
        cluster = Cluster(sprig, environment, processes)
        cluster.protect(tmp_path)
        listen = ["--listen", "127.0.0.1:0"]
        cluster.coordinator = cluster.start(
            "coordinator", "--db", tmp_path / "db", "--tokens", tmp_path / "tokens", *listen
        )
        cluster.explorer = cluster.start("explore", "--coordinator", cluster.coordinator, "--steer", *listen)
        yield cluster


@contextmanager
def look(visit: Any, cluster: Cluster, **settings: Any) -> Iterator[Any]:
    with visit(**settings) as visitor:
        visitor.page.goto(cluster.explorer + "/work")
        yield visitor.page


def test_work_is_seen_as_it_goes_on(visit: Any, cluster: Cluster) -> None:
    with look(visit, cluster) as page:
        expect(page.get_by_text("No worker is connected.")).to_be_visible()
        expect(page.get_by_text("Nobody has submitted a job.")).to_be_visible()
        page.evaluate("window.wasLoadedOnce = true")
        cluster.submit("0*9", "--misere")
        row = page.get_by_role("row").filter(has_text="0*9")
        expect(row).to_contain_text("waits for a worker")
        assert not barriers(page)
        cluster.run("worker", "--coordinator", cluster.coordinator, "--name", "beech", "--threads", "1")
        expect(page.get_by_role("row").filter(has_text="beech")).to_be_visible()
        # By Applegate, Jacobson and Sleator, 1991.
        expect(row).to_contain_text("done")
        expect(row).to_contain_text("loss")
        assert page.evaluate("window.wasLoadedOnce"), "the page was loaded again"
        # Where the screen is too narrow for its tables, keys can move them.
        page.set_viewport_size(SIZES["phone"])
        assert not barriers(page)
        row.get_by_role("link").last.click()
        verdict = page.locator(".verdict")
        # What was found before holds for some seconds.
        for _ in range(60):
            if "Loss for the player to move" in (verdict.text_content() or ""):
                break
            page.wait_for_timeout(500)
            page.reload()
        expect(verdict).to_contain_text("Loss for the player to move")


def test_work_is_shown_without_scripts(visit: Any, cluster: Cluster) -> None:
    cluster.submit("0*40")
    with look(visit, cluster, size="phone", java_script_enabled=False) as page:
        expect(page.get_by_role("row").filter(has_text="0*40")).to_contain_text("waits for a worker")


def test_a_search_is_seen_with_pictures_and_can_be_steered(visit: Any, cluster: Cluster) -> None:
    cluster.submit("0*60")
    cluster.run("worker", "--coordinator", cluster.coordinator, "--name", "beech", "--threads", "1")
    with look(visit, cluster) as page:
        page.goto(cluster.explorer + "/jobs/1")
        page.get_by_role("link", name="What its searches see at the moment").click()
        expect(page.get_by_role("heading", name="beech")).to_be_visible()
        option = page.locator("a.card").filter(has_text="0*59.AB|AB").first
        expect(option.locator("img")).to_be_visible()
        # Without being loaded again the page draws how the numbers of the job go.
        expect(page.locator("#course polyline")).to_have_count(2, timeout=20_000)
        # It is as wide as all else: a phone has no room for margins beside it.
        chart, rest = (page.locator(what).bounding_box() for what in ("#course", "#live"))
        assert chart and rest and chart["width"] == rest["width"], (chart, rest)
        assert not barriers(page)
        option.click()
        expect(page.get_by_text("sprig wish 1 pin '0*59.AB|AB'")).to_be_visible()
        pin = [cluster.sprig, "wish", "1", "pin", "0*59.AB|AB", "--owner", "ada", "--coordinator", cluster.coordinator]
        subprocess.run(pin, env=cluster.environment, check=True, stdout=subprocess.DEVNULL)
        expect(page.get_by_role("row").filter(has_text="pin 1")).to_contain_text("ada")
        page.get_by_role("link", name="Where the searches are").click()
        expect(page.get_by_text("sent by wish 1")).to_be_visible()
        page.set_viewport_size(SIZES["phone"])
        assert not barriers(page)


def without(page: Any, part: str) -> None:
    """Waits until the page has shown itself once without a part, and once more with it."""

    def cut(route: Any) -> None:
        reply = route.fetch()
        body, cuts = re.subn(part, "", reply.text(), flags=re.DOTALL)
        assert cuts == 1, part
        route.fulfill(response=reply, body=body)

    page.route(page.url, cut, times=1)
    for has_it in (False, True):
        found = "([part, hasIt]) => (document.querySelector('#live').outerHTML.match(part) !== null) === hasIt"
        page.wait_for_function(found, arg=[part.replace(".*", "[^]*"), has_it])


def test_a_visitor_with_a_token_steers_from_the_page(visit: Any, guarded: Cluster) -> None:
    guarded.submit("0*60")
    guarded.run("worker", "--coordinator", guarded.coordinator, "--name", "beech", "--threads", "1")
    assert guarded.folder is not None
    tokens = {role: (guarded.folder / role).read_text().strip() for role in ("read", "submit")}
    with visit() as visitor:
        page = visitor.page
        page.goto(guarded.explorer + "/jobs/1/search")
        status, token = page.get_by_role("status"), page.get_by_label("Your token")
        # Where it goes now is an option, too.
        options = page.locator("ol.cards").last
        pin = options.get_by_role("button", name="pin 0*59.AB|AB", exact=True)
        pin.click()
        expect(status).to_have_text("Type your token first.")
        expect(token).to_be_focused()
        token.fill(tokens["read"])
        pin.click()
        expect(status).to_contain_text("show a token of the role submit")
        # The browser complains of what the server refuses.
        assert "403" in visitor.complaints.pop()
        token.fill("x" * 64)
        pin.click()
        expect(status).to_contain_text("type another one, or ask who runs the cluster")
        assert "401" in visitor.complaints.pop()
        token.fill(tokens["submit"])
        page.get_by_label("A wish holds").select_option("an hour at most")
        # By keys, while what the search sees is shown anew all the time: the focus stays.
        changed = "(seen) => document.querySelector('#live').innerHTML !== seen"
        pin.focus()
        page.wait_for_function(changed, arg=page.locator("#live").inner_html())
        expect(pin).to_be_focused()
        # Even where the search comes to go to that option, or sees nothing for a moment.
        for gone in (r'<ol class="cards" aria-label="Where .*?</ol>', r"<section><h2>beech.*</section>"):
            pin.focus()
            without(page, gone)
            expect(pin).to_be_focused()
        page.keyboard.press("Enter")
        expect(status).to_have_text("Wish 1 holds: pin 0*59.AB|AB.")
        row = page.get_by_role("row").filter(has_text="pin 1")
        expect(row).to_contain_text("its-submit")
        expect(row).to_contain_text("holds until 20")
        expect(page.get_by_text("sent by wish 1")).to_be_visible()
        expect(page.get_by_role("button", name="ban 0*", exact=False).first).to_be_visible()
        assert not barriers(page)
        page.set_viewport_size(SIZES["phone"])
        wide = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
        assert wide[0] <= wide[1], wide
        assert not barriers(page)
        # The tab knows the token; the address does not.
        page.reload()
        expect(token).to_have_value(tokens["submit"])
        assert tokens["submit"] not in page.url
        page.get_by_role("button", name="withdraw wish 1").click()
        expect(status).to_have_text("Wish 1 is withdrawn.")
        expect(row).to_contain_text("withdrawn")
        expect(page.get_by_role("button", name="withdraw wish 1")).to_have_count(0)


def test_nothing_steers_without_scripts(visit: Any, guarded: Cluster) -> None:
    guarded.submit("0*60")
    with visit(java_script_enabled=False) as visitor:
        page = visitor.page
        page.goto(guarded.explorer + "/jobs/1/search?at=0*59.AB~AB")
        expect(page.get_by_text("sprig wish 1 pin")).to_be_visible()
        for hidden in (page.get_by_label("Your token"), page.locator(".steer").first):
            expect(hidden).to_be_hidden()
