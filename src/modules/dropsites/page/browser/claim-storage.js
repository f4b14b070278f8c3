/** How long another tab with the same dropsite is waited for. After a reload the page before needs a moment to let go. */
const LOCK_MS = 1_000;

/**
 * The browser's storage, if this is the one tab that sends to the dropsite: two would overwrite what the other remembers. Null otherwise.
 * @param {string} link
 * @returns {Promise<Storage | null>}
 */
export async function claimStorage(link) {
  try {
    const { localStorage } = window; // throws where site data is blocked
    if (!navigator.locks) return localStorage;
    return await new Promise((resolve) => {
      navigator.locks
        .request(`upload:${link}`, { signal: AbortSignal.timeout(LOCK_MS) }, () => {
          resolve(localStorage);
          return new Promise(() => {}); // kept until the page goes
        })
        .catch(() => resolve(null));
    });
  } catch {
    return null;
  }
}
