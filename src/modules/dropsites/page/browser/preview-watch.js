import { ProblemError } from '@media-delivery/sdk/uploader';
import { pollWhileVisible } from '../../../../shared/web/browser/poll-while-visible.js';

/** Transcodings are added a moment after the files have arrived, so an empty response is final only after this number of polls. */
const MIN_POLLS = 5;

/**
 * @typedef {object} PreviewProgress
 * @property {number} mediaContainerId
 * @property {number} progress per cent
 * @property {'running' | 'successful' | 'failed'} status
 */

/** Polls the progress of the previews of delivered files until all are ready. */
export class PreviewWatch {
  /** @type {Map<number, PreviewProgress>} by media container */
  #known = new Map();
  #stop = () => {};
  #service;
  #onChange;

  /**
   * @param {Pick<import('./service-client.js').ServiceClient, 'previewProgress'>} service
   * @param {() => void} onChange
   */
  constructor(service, onChange) {
    this.#service = service;
    this.#onChange = onChange;
  }

  /** @param {readonly string[]} uploadIds */
  start(uploadIds) {
    this.stop();
    const open = new Set(uploadIds);
    let asked = 0;
    this.#stop = pollWhileVisible(async () => {
      asked += 1;
      for (const uploadId of open) {
        const found = await this.#service.previewProgress(uploadId).catch(nothingIfRefused);
        for (const progress of found) this.#known.set(progress.mediaContainerId, progress);
        if (asked >= MIN_POLLS && found.every(({ status }) => status !== 'running')) open.delete(uploadId);
      }
      this.#onChange();
      return open.size > 0;
    });
  }

  stop() {
    this.#stop();
    this.#known.clear();
  }

  /**
   * The progress of a media container; null: none is known.
   * @param {number | undefined} mediaContainerId
   */
  progressOf(mediaContainerId) {
    return this.#known.get(mediaContainerId ?? Number.NaN) ?? null;
  }

  /** Whether a preview is in progress. */
  get isRunning() {
    return [...this.#known.values()].some(({ status }) => status === 'running');
  }
}

/**
 * Treats a refusal as permanent, except for rate limits and server errors.
 * @param {unknown} error
 * @returns {PreviewProgress[]}
 */
function nothingIfRefused(error) {
  if (error instanceof ProblemError && error.status >= 400 && error.status < 500 && error.status !== 429) return [];
  throw error;
}
