/** Something that was started. */
export interface Part {
  release(): Promise<void>;
}

type Started<T> = { readonly [Name in keyof T]: Awaited<T[Name]> };

/**
 * Waits for parts that start side by side; null is one that is not needed. When one of them does not start, the others are let go and its
 * error is thrown.
 */
export async function startTogether<T extends Readonly<Record<string, Promise<Part> | null>>>(
  starting: T,
): Promise<{ parts: Started<T>; release(): Promise<void> }> {
  const results = await Promise.allSettled(Object.values(starting));
  const started = results.map((result) => (result.status === 'fulfilled' ? result.value : null));
  const release = async () => {
    await Promise.all(started.map(async (part) => await part?.release()));
  };
  const failure = results.find((result) => result.status === 'rejected');
  if (failure) {
    await release();
    throw failure.reason;
  }
  const parts = Object.fromEntries(Object.keys(starting).map((name, index) => [name, started[index]]));
  return { parts: parts as Started<T>, release };
}
