// Drawing a move with the pointer. The page works without it: moves can be chosen from the list.
// The engine, as WebAssembly in a worker, reads the position from the geometry and says which move
// it is; where a browser does not run it, the server does the same.

const SVG = "http://www.w3.org/2000/svg";
/** Most points that are sent. */
const POINTS = 150;
const INVITATION = "Draw a curve from spot to spot, or choose a move from the list.";
const NO_ANSWER = "Sprig does not answer; draw it again, or choose from the list";

const figure = document.querySelector("figure[data-position]");
const image = figure?.querySelector("img");
const hint = document.querySelector(".hint");

/** Says something to the visitor. */
function say(text) {
  if (hint) hint.textContent = text;
}

/** The picture's own width and height, from its source. */
async function viewBox() {
  const text = await (await fetch(image.currentSrc || image.src)).text();
  return /viewBox="([^"]+)"/.exec(text)?.[1];
}

/** Fewer points along the same line: at most the second argument. */
function thinned(points, most) {
  if (points.length <= most) return points;
  const step = (points.length - 1) / (most - 1);
  return Array.from({ length: most }, (_, i) => points[Math.round(i * step)]);
}

/** The engine of this page: a function that asks it, if the browser runs it. */
const engine = (() => {
  if (typeof WebAssembly !== "object" || typeof Worker !== "function") return null;
  const worker = new Worker("/assets/board.js");
  const asked = new Map();
  worker.onmessage = ({ data }) => {
    asked.get(data.number)?.(data);
    asked.delete(data.number);
  };
  worker.onerror = () => {
    for (const answer of asked.values()) answer({ failed: "the engine does not run" });
    asked.clear();
  };
  let number = 0;
  return (...lines) =>
    new Promise((answer) => {
      asked.set(++number, answer);
      worker.postMessage({ number, question: lines.join("\n") });
    });
})();

/** The canonical form, as the engine reads it. */
const position = decodeURIComponent(figure?.dataset.position ?? "").replaceAll("~", "|");

/** Which move was drawn: the child and its words. */
async function read(points) {
  const text = thinned(points, POINTS).map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(";");
  const said = await engine?.("stroke", position, text);
  if (said?.answer === undefined) return readThere(text);
  figure.dataset.milliseconds = said.milliseconds.toFixed(1);
  const [first, child, move] = said.answer.split("\n");
  if (first !== "ok") throw new Error(first.replace(/^no /, ""));
  return { child, move };
}

/** The same, asked from the server. */
async function readThere(text) {
  const address = `/v1/positions/${figure.dataset.position}/stroke?points=${text}`;
  // Neither a network that is gone nor a proxy's own page is an answer.
  const response = await fetch(address).catch(() => null);
  const said = await response?.json().catch(() => null);
  if (!response?.ok) throw new Error(said?.detail ?? NO_ANSWER);
  return said;
}

/** Finds out which move was drawn, and makes it. */
async function play(points) {
  const said = await read(points);
  const link = [...document.querySelectorAll("a[data-child]")].find((a) => a.dataset.child === said.child);
  if (!link) throw new Error("this move is not in the list");
  say(`${said.move} ..`);
  location.assign(link.href);
}

async function prepare() {
  // The position is drawn while the visitor looks at it.
  engine?.("moves", position);
  const box = await viewBox();
  if (!box) return;
  const sheet = document.createElementNS(SVG, "svg");
  sheet.setAttribute("viewBox", box);
  sheet.setAttribute("class", "ink");
  sheet.setAttribute("aria-hidden", "true");
  const holder = document.createElement("div");
  holder.className = "paper";
  const picture = image.closest("picture");
  picture.replaceWith(holder);
  holder.append(picture, sheet);
  // Above the picture, words that come and go would move it below the hand that draws.
  hint?.setAttribute("role", "status");
  if (hint) holder.after(hint);
  let points = [];
  let path = null;

  const place = (event) => {
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(sheet.getScreenCTM().inverse());
    return [at.x, at.y];
  };
  const drop = () => {
    path?.remove();
    path = null;
    points = [];
  };
  sheet.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    drop();
    sheet.setPointerCapture(event.pointerId);
    points = [place(event)];
    path = document.createElementNS(SVG, "path");
    sheet.append(path);
    say("Draw to a spot and let go.");
  });
  sheet.addEventListener("pointermove", (event) => {
    if (!path) return;
    for (const one of event.getCoalescedEvents?.() ?? [event]) points.push(place(one));
    points.push(place(event));
    path.setAttribute("d", "M" + points.map(([x, y]) => `${x} ${y}`).join("L"));
  });
  sheet.addEventListener("pointerup", async (event) => {
    if (!path) return;
    points.push(place(event));
    try {
      await play(points);
    } catch (error) {
      say(`${error.message[0].toUpperCase()}${error.message.slice(1)}.`);
      drop();
    }
  });
  sheet.addEventListener("pointercancel", drop);
  // Going back shows the page as it was left, with the curve on it.
  addEventListener("pageshow", (event) => {
    if (!event.persisted) return;
    drop();
    say(INVITATION);
  });
  say(INVITATION);
}

if (image) prepare().catch(() => {});
