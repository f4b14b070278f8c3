import { ProblemError } from '@media-delivery/sdk/uploader';
import { pollWhileVisible } from '../../../../shared/web/browser/poll-while-visible.js';
import type { PreviewProgress, ServiceClient } from './service-client.js';

/** Transcodings are added a moment after the files have arrived, so an empty response is final only after this number of polls. */
const MIN_POLLS = 5;

/** Polls the progress of the previews of delivered files until all are ready. */
export class PreviewWatch {
  /** By media container. */
  #known = new Map<number, PreviewProgress>();
  #stop = () => {};
  #service;
  #onChange;

  constructor(service: Pick<ServiceClient, 'previewProgress'>, onChange: () => void) {
    this.#service = service;
    this.#onChange = onChange;
  }

  start(uploadIds: readonly string[]): void {
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

  stop(): void {
    this.#stop();
    this.#known.clear();
  }

  /** The progress of a media container; null if it is unknown. */
  progressOf(mediaContainerId: number | undefined): PreviewProgress | null {
    return this.#known.get(mediaContainerId ?? Number.NaN) ?? null;
  }

  /** Whether a preview is in progress. */
  get isRunning(): boolean {
    return [...this.#known.values()].some(({ status }) => status === 'running');
  }
}

/** Treats a refusal as permanent, except for rate limits and server errors. */
function nothingIfRefused(error: unknown): PreviewProgress[] {
  if (error instanceof ProblemError && error.status >= 400 && error.status < 500 && error.status !== 429) return [];
  throw error;
}
