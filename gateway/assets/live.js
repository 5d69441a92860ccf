// Keeps a page about work as it is now. Without it the page shows how things were when it was loaded.

/** Milliseconds between two looks, at least. */
const PAUSE = 500;

const live = document.querySelector("#live");

/** Puts what the server shows now in the place of what is shown, where it differs. */
async function look() {
  const response = await fetch(location.href);
  if (!response.ok) return;
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const now = page.querySelector("#live");
  // What is the same stays: a selection, or a place in a table that was moved aside.
  if (now && now.innerHTML !== live.innerHTML) live.replaceChildren(...now.childNodes);
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
  document.addEventListener("visibilitychange", keepLooking);
}
