"""The browser of the tests, and what it must never say."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, Playwright, Request, Response, expect, sync_playwright

CHROMIUM = "/usr/bin/chromium"
# It asks nobody for anything, and runs for root and in containers.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-dev-shm-usage",
    "--no-first-run",
]
# Long, for machines that have much else to do.
PATIENCE = 30_000
expect.set_options(timeout=PATIENCE)
SIZES = {"phone": {"width": 360, "height": 780}, "desktop": {"width": 1280, "height": 800}}


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--pictures", metavar="FOLDER", type=Path, help="keep a picture of every kind of page there")


@pytest.fixture(scope="session")
def playwright() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(playwright: Playwright) -> Iterator[Browser]:
    # Going back shows a page as it was left, as it does for everybody.
    kept = ["--disable-back-forward-cache"]
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS, ignore_default_args=kept)
    yield browser
    browser.close()


class Visitor:
    """Somebody before a screen. What the browser complains of is kept."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.complaints: list[str] = []
        page.set_default_timeout(PATIENCE)
        page.on("console", lambda said: self.complaints.append(f"{page.url}: {said.type}: {said.text}"))
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("requestfailed", self.failed)

    def failed(self, request: Request) -> None:
        # What the browser itself gives up, because it leaves the page or wants another picture, is no fault.
        if request.failure != "net::ERR_ABORTED":
            self.complaints.append(f"{request.url}: {request.failure}")

    def open(self, path: str) -> Response:
        """Opens a page of the explorer."""
        response = self.page.goto(self.address + path)
        assert response is not None
        return response


@pytest.fixture
def visit(browser: Browser, address: str) -> Any:
    """Lets a visitor come, with a screen of some size, in some colours; he must have nothing to complain of."""

    @contextmanager
    def visit(size: str = "desktop", **settings: Any) -> Iterator[Visitor]:
        context = browser.new_context(viewport=SIZES[size], **settings)  # type: ignore[arg-type]
        visitor = Visitor(context.new_page(), address)
        yield visitor
        context.close()
        assert not visitor.complaints, visitor.complaints

    return visit


class Watch:
    """How long answers took, in milliseconds."""

    def __init__(self) -> None:
        self.taken: dict[str, list[float]] = {}

    def add(self, what: str, milliseconds: float) -> None:
        self.taken.setdefault(what, []).append(milliseconds)

    @contextmanager
    def of(self, what: str) -> Iterator[None]:
        begun = time.perf_counter()
        yield
        self.add(what, 1_000 * (time.perf_counter() - begun))


WATCH = Watch()


@pytest.fixture
def watch() -> Watch:
    return WATCH


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    for what, taken in WATCH.taken.items():
        taken.sort()
        median, tail = taken[len(taken) // 2], taken[int(0.95 * (len(taken) - 1))]
        terminalreporter.line(f"{what}: {len(taken)} times, median {median:.0f} ms, 95 % within {tail:.0f} ms")
