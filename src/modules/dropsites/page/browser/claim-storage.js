/**
 * The time to wait for a lock of another tab with the same dropsite; after a reload the previous page needs a moment to release it.
 */
const LOCK_MS = 1_000;

/**
 * The browser's storage, if no other tab sends to the dropsite, because two tabs would overwrite each other's data; otherwise null.
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
          return new Promise(() => {}); // held until the page closes
        })
        .catch(() => resolve(null));
    });
  } catch {
    return null;
  }
}
