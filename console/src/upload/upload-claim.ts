/** The name of the lock that the window of an upload has (Web Locks; browsers have them in secure contexts only). */
const nameOf = (id: string): string => `console-upload:${id}`;

/** Runs an upload so that other windows of this browser know of it. */
export async function withClaim<Result>(id: string, upload: () => Promise<Result>): Promise<Result> {
  return navigator.locks ? await navigator.locks.request(nameOf(id), upload) : await upload();
}

/** Whether another window is uploading it. */
export async function isClaimed(id: string): Promise<boolean> {
  const { held = [] } = (await navigator.locks?.query()) ?? {};
  return held.some(({ name }) => name === nameOf(id));
}
