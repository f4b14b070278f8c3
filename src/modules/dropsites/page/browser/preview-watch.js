import { pollWhileVisible } from '../../../../shared/web/browser/poll-while-visible.js';
import { ServiceProblem } from './errors.js';

/** What is made of files is asked for a moment after they have arrived, so an empty answer is believed only after so many. */
const LEAST_ASKED = 5;

/**
 * @typedef {object} PreviewProgress
 * @property {number} mediaContainerId
 * @property {number} progress per cent
 * @property {'running' | 'successful' | 'failed'} status
 */

/** Asks how far the previews of delivered files are, until all are made. */
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
  begin(uploadIds) {
    this.end();
    const open = new Set(uploadIds);
    let asked = 0;
    this.#stop = pollWhileVisible(async () => {
      asked += 1;
      for (const uploadId of open) {
        const found = await this.#service.previewProgress(uploadId).catch(nothingIfRefused);
        for (const progress of found) this.#known.set(progress.mediaContainerId, progress);
        if (asked >= LEAST_ASKED && found.every(({ status }) => status !== 'running')) open.delete(uploadId);
      }
      this.#onChange();
      return open.size > 0;
    });
  }

  end() {
    this.#stop();
    this.#known.clear();
  }

  /**
   * Null: nothing is made of it, as far as is known.
   * @param {number | undefined} mediaContainerId
   */
  of(mediaContainerId) {
    return this.#known.get(mediaContainerId ?? Number.NaN) ?? null;
  }

  /** Whether something is being made. */
  get isRunning() {
    return [...this.#known.values()].some(({ status }) => status === 'running');
  }
}

/**
 * What is refused now is refused the next time, too, unless it came too often.
 * @param {unknown} error
 * @returns {PreviewProgress[]}
 */
function nothingIfRefused(error) {
  if (error instanceof ServiceProblem && error.status < 500 && error.status !== 429) return [];
  throw error;
}
