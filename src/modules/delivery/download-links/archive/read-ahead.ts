/** Something to read. */
interface Piece<T> {
  /** The memory that it takes when it has been read. */
  readonly bytes: number;
  read(): Promise<T>;
}

/** How much is read, or waits to be used, at a time; one piece may have more. */
interface Depth {
  readonly bytes: number;
  readonly entries: number;
}

/** Reads pieces concurrently and yields their results in order. */
export async function* readAhead<T>(pieces: AsyncIterable<Piece<T>>, depth: Depth): AsyncGenerator<T, void> {
  const pending: { readonly result: Promise<T>; readonly bytes: number }[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    const result = piece.read();
    result.catch(() => {}); // thrown when its turn comes
    pending.push({ result, bytes: piece.bytes });
    bytes += piece.bytes;
    while (pending.length >= depth.entries || bytes >= depth.bytes) {
      const next = pending.shift();
      if (!next) break;
      yield await next.result;
      bytes -= next.bytes;
    }
  }
  for (const { result } of pending) yield await result;
}
