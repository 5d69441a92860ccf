// The button that checks a certificate. Without it the page has the file and the text.

const check = document.querySelector("#check");
const begin = document.querySelector("#begin");
const stop = document.querySelector("#stop");
const bar = document.querySelector("#progress");
const verdict = document.querySelector("#verdict");

let worker = null;

function say(words, manner = "") {
  verdict.textContent = words;
  verdict.className = manner && `verdict ${manner}`;
}

/** Ends what is going on, and offers to begin. */
function rest() {
  worker?.terminate();
  worker = null;
  begin.hidden = false;
  stop.hidden = bar.hidden = true;
  delete check.dataset.busy;
}

function showProgress({ of, done, all }) {
  bar.value = all ? done / all : 0;
  say(of === 0 ? `Finding the trees of its base: ${done} of about ${all} lands so far` : `${done} of ${all} facts are right`);
}

/** The values of the lines of the verdict, by their names. */
function read(text) {
  const lines = text.split("\n").filter((line) => line !== "");
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(" ")), line.slice(line.indexOf(" ") + 1)]));
}

function showVerdict(text, seconds) {
  const found = read(text);
  if (found.refused !== undefined) {
    say(`Refused: ${found.refused}`, "loss");
    return;
  }
  const claim = { win: "a win for the player to move", loss: "a loss for the player to move" }[found.proved] ?? found.proved;
  const facts = found.facts === "1" ? "1 fact" : `${found.facts} facts`;
  const time = seconds < 0.1 ? "less than 0.1" : seconds.toFixed(1);
  say(`Proved: ${found.position} is ${claim} in ${found.play === "misere" ? "misère" : found.play} play. ` +
    `Your browser has checked ${facts} and ${found.options} options in ${time} seconds.`, "win");
}

function start() {
  rest();
  begin.hidden = true;
  stop.hidden = bar.hidden = false;
  bar.removeAttribute("value");
  check.dataset.busy = "";
  say("Loading the check and the certificate");
  worker = new Worker("/assets/verifier.js");
  worker.onmessage = ({ data }) => {
    if (data.of !== undefined) {
      showProgress(data);
      return;
    }
    rest();
    if (data.failed !== undefined) say(`The check broke off: ${data.failed}`, "open");
    else showVerdict(data.verdict, data.seconds);
  };
  worker.onerror = () => {
    rest();
    say("The check broke off: this browser does not run it", "open");
  };
  worker.postMessage(check.dataset.file);
}

if (check) {
  if (typeof WebAssembly === "object" && typeof Worker === "function") {
    begin.parentElement.hidden = false;
    begin.addEventListener("click", start);
    stop.addEventListener("click", () => {
      rest();
      say("Stopped: nothing was found wrong so far, and nothing is proved", "open");
    });
    if (check.dataset.byItself !== undefined) start();
  } else {
    say("This browser has no WebAssembly, so nothing can be checked here; the command below does it.");
  }
}
