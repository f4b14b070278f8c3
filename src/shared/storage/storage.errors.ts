import { defineErrors } from '../errors/index.js';

export const storageErrors = defineErrors({
  storage_unavailable: {
    kind: 'unavailable',
    meaning: 'The object storage or its security token service does not answer; nothing was changed, the same call works later.',
  },
});

const RETRY_AFTER_SECONDS = 5;

/** What callers get to hear when the storage fails; the reason is for the log. */
export const storageUnavailable = () =>
  storageErrors.storage_unavailable('The object storage cannot be reached at the moment. Nothing was changed; try the same call again.', {
    retryAfter: RETRY_AFTER_SECONDS,
  });
