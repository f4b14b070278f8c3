/**
 * An absolute URL, or null. Not by URL.canParse: in Node 20 and 22 it refuses an `ü` once it has been called some thousand times (V8's fast
 * calls).
 */
export function parseUrl(text: string): URL | null {
  try {
    return new URL(text);
  } catch {
    return null;
  }
}
