// Keeps a page about work as it is now. Without it the page shows how things were when it was loaded.

/** Milliseconds between two looks, at least. */
const PAUSE = 500;

const live = document.querySelector("#live");

/** The links and buttons with the name of this one in a list of the same name: all that lead there, or do the same. */
function namesakes(one) {
  const own = (element) => element.getAttribute("href") ?? element.getAttribute("aria-label");
  const list = (element) => element.closest("ol, ul")?.getAttribute("aria-label");
  return [...live.querySelectorAll("a, button, [tabindex]")]
    .filter((other) => own(other) === own(one) && list(other) === list(one));
}

/** Whether a button of the mouse or a finger is down: what is pressed must not vanish before it is let go. */
let isPressed = false;

/** The link or button that has the focus or had it when it vanished, and which of its namesakes it is. */
let held;

/**
 * Puts these in the place of what is shown. The focus stays at the same link or button; if that is gone, it comes back
 * with it, unless something else got the focus meanwhile.
 */
function show(nodes) {
  const focus = document.activeElement;
  if (live.contains(focus)) held = { one: focus, place: namesakes(focus).indexOf(focus) };
  else if (focus !== document.body) held = undefined;
  live.replaceChildren(...nodes);
  if (!held) return;
  const same = namesakes(held.one);
  (same[held.place] ?? same.at(-1))?.focus({ preventScroll: true });
}

/** Looks at what the server shows now, and shows it where it differs. */
async function look() {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const now = page.querySelector("#live");
  // What is the same stays: a selection, or a place in a table that was moved aside.
  if (isPressed) news = true;
  else if (now && now.innerHTML !== live.innerHTML) show(now.childNodes);
}

let news = false;
let looking = false;

/** Looks until there is nothing new, while somebody looks at the page. */
async function keepLooking() {
  if (looking || document.hidden) return;
  looking = true;
  while (news && !document.hidden) {
    news = false;
    // The server may be away for a moment; what was shown stays.
    await look().catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  looking = false;
}

if (live) {
  const events = new EventSource("/v1/events");
  const heard = () => {
    news = true;
    keepLooking();
  };
  events.addEventListener("job", heard);
  events.addEventListener("statistics", heard);
  live.addEventListener("stale", heard);
  live.addEventListener("pointerdown", () => (isPressed = true));
  // The click comes right after, and finds all as it was.
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, () => setTimeout(() => (isPressed = false)));
  document.addEventListener("visibilitychange", keepLooking);
}
