// Draws how the proof numbers of a job go, from when the page was opened.

/** Most points that are kept; then every second one is dropped. */
const MOST = 240;
const [WIDTH, HEIGHT] = [640, 160];
/** The states of a job that has not ended. */
const GOES_ON = ["running", "waiting", "paused"];

const figure = document.querySelector("#course");
const live = document.querySelector("#live");
const svg = figure?.querySelector("svg");
let points = [];

/** Looks at the numbers of the job. */
async function note() {
  const response = await fetch(location.pathname.replace(/\/search$/, "").replace(/^\/jobs/, "/v1/jobs"));
  if (!response.ok) return;
  const { proof, disproof, state } = await response.json();
  // Nobody steers what has ended.
  if (!GOES_ON.includes(state)) document.querySelector("#wishing")?.remove();
  const last = points.at(-1);
  if (!(proof > 0 && disproof > 0) || (last?.proof === proof && last?.disproof === disproof)) return;
  points.push({ time: performance.now(), proof, disproof });
  if (points.length > MOST) points = points.filter((_, at) => at % 2 === 0);
  draw();
}

function path(name, time, height) {
  const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
  line.setAttribute("class", name);
  line.setAttribute("points", points.map((point) => `${time(point.time)},${height(point[name])}`).join(" "));
  return line;
}

function draw() {
  if (points.length < 2) return;
  const [first, last] = [points[0].time, points.at(-1).time];
  const logs = points.flatMap(({ proof, disproof }) => [Math.log(proof), Math.log(disproof)]);
  const [low, high] = [Math.min(...logs), Math.max(...logs, Math.min(...logs) + 1)];
  const time = (at) => (((at - first) / (last - first)) * WIDTH).toFixed(1);
  const height = (value) => (HEIGHT - 4 - ((Math.log(value) - low) / (high - low)) * (HEIGHT - 8)).toFixed(1);
  svg.replaceChildren(path("proof", time, height), path("disproof", time, height));
  figure.hidden = false;
}

if (svg && live) {
  note();
  setInterval(() => document.hidden || note().catch(() => {}), 1000);
}
