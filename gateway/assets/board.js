// The engine in a worker of its own: reads strokes and finds curves, without asking the server.
// Questions and answers are lines of text, as `wasm/sketch` has them.

let ready = load();

async function load() {
  const response = await fetch("/assets/sketch.wasm");
  if (!response.ok) throw new Error(`sketch.wasm: status ${response.status}`);
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), {});
  return instance.exports;
}

/** Asks the engine. What it cannot do is an error in its words. */
function ask({ memory, room, ask, words }, question) {
  const bytes = new TextEncoder().encode(question);
  const at = room(bytes.byteLength);
  new Uint8Array(memory.buffer, at, bytes.byteLength).set(bytes);
  const length = ask();
  return new TextDecoder().decode(new Uint8Array(memory.buffer, words(), length));
}

onmessage = async ({ data: { number, question } }) => {
  try {
    const engine = await ready;
    const begin = performance.now();
    const answer = ask(engine, question);
    postMessage({ number, answer, milliseconds: performance.now() - begin });
  } catch (error) {
    // An engine that broke off is not asked again.
    ready = load();
    ready.catch(() => {});
    postMessage({ number, failed: String(error.message ?? error) });
  }
};
