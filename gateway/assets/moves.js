// Shows a move as a curve in the large picture while the pointer or the focus is on it. Without it
// each move still has its words, and the picture of where it leads.

/** Milliseconds that one stays on a move before it is shown. */
const PAUSE = 120;

const figure = document.querySelector("figure[data-position]");
const image = figure?.querySelector("img");
const dark = figure?.querySelector("source");

// Of many fresh spots that are drawn as one no single one can be shown.
if (image && figure.dataset.grouped === undefined) {
  const shown = { src: image.src, srcset: dark?.srcset };
  let waiting = 0;

  const show = (src, srcset) => {
    // The source first: the browser chooses anew when the image changes.
    if (dark) dark.srcset = srcset;
    image.src = src;
  };
  const begin = ({ target }) => {
    const { child } = target.closest("a[data-child]")?.dataset ?? {};
    clearTimeout(waiting);
    if (child === undefined) return;
    const move = `child=${encodeURIComponent(child)}`;
    waiting = setTimeout(() => show(`${shown.src}?${move}`, `${shown.srcset}&${move}`), PAUSE);
  };
  const end = ({ target, relatedTarget }) => {
    const card = target.closest("a[data-child]");
    if (!card || card.contains(relatedTarget)) return;
    clearTimeout(waiting);
    if (image.src !== shown.src) show(shown.src, shown.srcset);
  };
  for (const list of document.querySelectorAll("#moves")) {
    list.addEventListener("pointerover", begin);
    list.addEventListener("focusin", begin);
    list.addEventListener("pointerout", end);
    list.addEventListener("focusout", end);
  }
  // Where a move has no curve, the picture stays as it is.
  image.addEventListener("error", () => {
    if (image.src !== shown.src) show(shown.src, shown.srcset);
  });
}
