import { dropsite } from './dropsite.js';

/**
 * Builds the receipt of a completed delivery.
 * @param {import('./delivery.js').Delivery} delivery
 * @returns {import('./receipt.js').Receipt}
 */
export function receiptOf({ files, batches, deliveredAt, sender }) {
  const delivered = files.filter(({ state }) => state === 'delivered');
  const name = [sender?.firstname, sender?.lastname].filter(Boolean).join(' ');
  return {
    deliveredTo: dropsite.name,
    address: `${location.origin}${location.pathname}`,
    deliveredAt: new Date(deliveredAt ?? Date.now()).toISOString(),
    references: batches.filter((batch) => batch.files.length > 0).map(({ uploadId }) => uploadId),
    sender: name || sender?.email || null,
    totalSize: delivered.reduce((sum, { size }) => sum + size, 0),
    files: delivered.map(({ path, size, progress }) => ({
      name: path,
      size,
      sha256: progress.sha256 ?? null,
      etag: progress.etag || null,
    })),
    notDelivered: files
      .filter(({ state }) => state !== 'delivered')
      .map(({ path, size, state, problem }) => ({ name: path, size, reason: problem || (state === 'left-out' ? 'left out' : state) })),
  };
}
