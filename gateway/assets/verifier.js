// Checks a certificate, in a worker of its own: it is ended to stop. The page says where the
// certificate is; it hears how far the check is, and then the words of the verdict.

/** Milliseconds between two words about how far it is. */
const PAUSE = 100;

let told = 0;

/** Called by the check: at the base (0) or the facts (1), how many are done, and of how many. */
function progress(of, done, all) {
  const now = performance.now();
  if (now - told < PAUSE) return;
  told = now;
  postMessage({ of, done, all });
}

async function bytesOf(path) {
  const response = await fetch(path);
  if (!response.ok) throw new Error(`${path}: status ${response.status}`);
  return response.arrayBuffer();
}

onmessage = async ({ data: path }) => {
  try {
    const [code, file] = await Promise.all([bytesOf("/assets/verify.wasm"), bytesOf(path)]);
    const { instance } = await WebAssembly.instantiate(code, { sprig: { progress } });
    const { memory, room, verify, words } = instance.exports;
    const begin = performance.now();
    const at = room(file.byteLength);
    new Uint8Array(memory.buffer, at, file.byteLength).set(new Uint8Array(file));
    const length = verify();
    const verdict = new TextDecoder().decode(new Uint8Array(memory.buffer, words(), length));
    postMessage({ verdict, seconds: (performance.now() - begin) / 1000 });
  } catch (error) {
    postMessage({ failed: String(error.message ?? error) });
  }
};
