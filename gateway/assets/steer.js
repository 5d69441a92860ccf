// Makes wishes for the places of a search and withdraws them, with the token that the visitor has typed.

const KEY = "sprig-token";
const HOUR = 3_600_000;

const live = document.querySelector("#live");
const form = document.querySelector("#steering");
const said = document.querySelector("#said");
const token = document.querySelector("#token");
const span = document.querySelector("#span");
const wishes = location.pathname.replace(/\/search$/, "/wishes").replace(/^\/jobs/, "/v1/jobs");

/** Tells the visitor what has happened. */
function say(words, isWrong = false) {
  said.textContent = words.replaceAll("`", "");
  said.classList.toggle("claim", isWrong);
}

/** Asks the server to change something. Gives what it says, or tells the visitor why it was not done. */
async function ask(method, path, wish) {
  const headers = { authorization: `Bearer ${token.value.trim()}` };
  if (wish) headers["content-type"] = "application/json";
  let response;
  let answer;
  try {
    response = await fetch(path, { method, headers, body: wish && JSON.stringify(wish), credentials: "omit" });
    answer = await response.json();
  } catch {
    say("The explorer does not answer. See whether it was done before you press again.", true);
    return undefined;
  }
  if (response.ok) return answer;
  // What programs do about a token is nothing that a visitor can do here.
  const remedy = response.status === 401
    ? "type another one, or ask who runs the cluster for a token of the role submit" : answer.remedy;
  say(`${answer.title}: ${answer.detail}. What to do: ${remedy}.`, true);
  if (response.status === 401) token.focus();
  return undefined;
}

/** Does what a button says. */
async function press({ name, value, dataset }) {
  // What is no token cannot even be sent.
  if (!/^[\w-]+$/.test(token.value.trim())) {
    say(token.value ? "This is no token: it has letters, digits, - and _ alone." : "Type your token first.", true);
    token.focus();
    return;
  }
  say("Asking the coordinator ..");
  if (name === "withdraw") {
    if (await ask("DELETE", `${wishes}/${value}`)) say(`Wish ${value} is withdrawn.`);
  } else {
    const until = span.value ? Date.now() + span.value * HOUR : undefined;
    const answer = await ask("POST", wishes, { kind: name, at: value, heap: Number(dataset.heap), until });
    const made = answer?.wishes.at(-1);
    if (made) say(`Wish ${made.number} holds: ${made.kind} ${made.position}${made.heap ? ` + *${made.heap}` : ""}.`);
  }
  // What waits says nothing by itself.
  live.dispatchEvent(new Event("stale"));
}

let isAsking = false;

if (live && form) {
  token.value = sessionStorage.getItem(KEY) ?? "";
  token.addEventListener("input", () => sessionStorage.setItem(KEY, token.value.trim()));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    say("Now choose a place.");
  });
  live.addEventListener("click", async (event) => {
    const button = event.target.closest(".steer button");
    if (!button || isAsking) return;
    isAsking = true;
    await press(button);
    isAsking = false;
  });
  form.hidden = false;
  document.documentElement.classList.add("steered");
}
