"""A hand that draws: sees spots and curves in a picture, and finds ways between them that touch nothing."""

import heapq
import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

from playwright.sync_api import Page

# What is seen, as the browser lays it out: discs, and points along every curve. Letters on spots are no curves.
SEE = """async (address) => {
  const svg = new DOMParser().parseFromString(await (await fetch(address)).text(), "image/svg+xml").documentElement;
  svg.style.cssText = "position: absolute; left: 0; top: 0; visibility: hidden";
  document.body.append(svg);
  const into = svg.getScreenCTM().inverse();
  const at = (element, point) => {
    const { x, y } = point.matrixTransform(into.multiply(element.getScreenCTM()));
    return [x, y];
  };
  const spots = [...svg.querySelectorAll("circle")].map((circle) => {
    const middle = new DOMPoint(circle.cx.baseVal.value, circle.cy.baseVal.value);
    return [...at(circle, middle), circle.r.baseVal.value];
  });
  const lines = [...svg.querySelectorAll("path[fill=none]")];
  const curves = lines.filter((path) => !path.closest("[transform*=scale]")).map((path) => {
    const length = path.getTotalLength();
    return Array.from({ length: Math.ceil(length) + 1 }, (_, i) => at(path, path.getPointAtLength(i)));
  });
  const { width, height } = svg.viewBox.baseVal;
  svg.remove();
  return { width, height, spots, curves };
}"""

Point = tuple[float, float]
Cell = tuple[int, int]

SPOT = 5.0
"""The least radius of a spot that lives; dead ones are smaller."""
CLEAR = 4.0
"""How far a way stays from everything."""
STEP = 2.0
"""The width of a cell of the grid on which ways are looked for."""


@dataclass(frozen=True)
class Spot:
    x: float
    y: float
    radius: float


@dataclass(frozen=True)
class Picture:
    """A picture as it is seen, in units of its viewBox."""

    width: float
    height: float
    spots: list[Spot]
    curves: list[list[Point]]

    @classmethod
    def seen(cls, page: Page, address: str) -> "Picture":
        found: dict[str, Any] = page.evaluate(SEE, address)
        spots = [Spot(*spot) for spot in found["spots"]]
        return cls(found["width"], found["height"], spots, [[(x, y) for x, y in line] for line in found["curves"]])

    def living(self) -> list[Spot]:
        return [spot for spot in self.spots if spot.radius >= SPOT]

    def strokes(self, seed: int) -> Iterator[list[Point]]:
        """Ways from spot to spot and around, each another one, as long as they are asked for."""
        dice = random.Random(seed)
        while True:
            begin, end = dice.choice(self.living()), dice.choice(self.living())
            is_loop = begin is end or dice.random() < 0.4
            way = self.around(begin, dice) if is_loop else self.way(begin, end, [], dice)
            if way:
                yield way

    def around(self, spot: Spot, dice: random.Random) -> list[Point]:
        """A way from a spot to itself, by a place somewhere."""
        place = Spot(dice.uniform(0, self.width), dice.uniform(0, self.height), 0)
        there = self.way(spot, place, [], dice)
        back = self.way(place, spot, there, dice) if there else []
        return there + back[1:] if back else []

    def way(self, begin: Spot, end: Spot, drawn: list[Point], dice: random.Random) -> list[Point]:
        """A way that keeps clear of everything, and of what is drawn already. Each time another, as dice fall."""
        wide, high = int(self.width / STEP), int(self.height / STEP)
        walls: set[Cell] = set()
        ends = [begin, end]
        for spot in self.spots:
            if spot not in ends:
                walls |= disc(spot.x, spot.y, spot.radius + CLEAR)
        for line in [*self.curves, drawn]:
            for at in line:
                # Curves meet at the ends, and inside of them nothing is looked at.
                if all(math.dist(at, (spot.x, spot.y)) > spot.radius for spot in ends):
                    walls |= disc(*at, CLEAR)
        hills = [(dice.uniform(0, wide), dice.uniform(0, high), dice.uniform(5, wide / 3)) for _ in range(4)]

        @cache
        def cost(cell: Cell) -> float:
            return 1 + sum(4 for x, y, size in hills if math.dist(cell, (x, y)) < size)

        first, goal = near(begin), near(end)
        best: dict[Cell, float] = {first: 0}
        came: dict[Cell, Cell] = {}
        queue = [(0.0, first)]
        while queue:
            spent, cell = heapq.heappop(queue)
            if cell == goal:
                break
            for step in ((1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (1, -1), (-1, 1), (-1, -1)):
                there = (cell[0] + step[0], cell[1] + step[1])
                inside = 1 < there[0] < wide - 1 and 1 < there[1] < high - 1
                total = spent + cost(there) * math.hypot(*step)
                if inside and there not in walls and total < best.get(there, math.inf):
                    best[there], came[there] = total, cell
                    heapq.heappush(queue, (total, there))
        if goal not in came:
            return []
        cells = [goal]
        while cells[-1] != first:
            cells.append(came[cells[-1]])
        # A hand takes fewer points than the grid has; what is cut is less than what is kept clear.
        inner = [(x * STEP, y * STEP) for x, y in reversed(cells[1:-1:2])]
        return [(begin.x, begin.y), *inner, (end.x, end.y)]


def near(spot: Spot) -> Cell:
    return round(spot.x / STEP), round(spot.y / STEP)


def disc(x: float, y: float, radius: float) -> set[Cell]:
    """The cells that are so near a place."""
    columns = range(math.ceil((x - radius) / STEP), math.floor((x + radius) / STEP) + 1)
    rows = range(math.ceil((y - radius) / STEP), math.floor((y + radius) / STEP) + 1)
    return {(i, j) for i in columns for j in rows if math.dist((i * STEP, j * STEP), (x, y)) <= radius}
