import { IgnoredInputResponse } from '../../../shared/validation/index.js';
import type { DownloadLink } from './download-link.entity.js';

/** A page from which people download files. */
export class DownloadLinkResponse {
  /** @example 3 */
  id: number;
  /** The page is `/l/{link}`. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  link: string;
  /** @example [7, 8] */
  mediaContainerIds: number[];
  /** @example [3] */
  formatIds: number[];
  /** 0: the default page. @example 0 */
  templateId: number;
  /** Empty: the page finds a heading itself. @example "Pictures of the summer party" */
  title: string;
  /** Unix seconds; null: at once. @example null */
  start: number | null;
  /** Unix seconds; null: for good. @example 1896134400 */
  end: number | null;
  /** @example 12 */
  creatorId: number;
  /** @example 1 */
  customerId: number;
  /** ISO 8601. */
  createdAt: Date;
}

/** A download link that was just made. */
export class CreatedDownloadLinkResponse extends DownloadLinkResponse {
  /** What of the input was not taken, and why; only if there is something. */
  ignored?: IgnoredInputResponse[];
}

/** A download link that is gone. */
export class DeletedDownloadLinkResponse {
  /** @example 3 */
  id: number;
}

export const toDownloadLinkResponse = ({ start, end, ...link }: DownloadLink): DownloadLinkResponse => ({
  ...link,
  start: unixSeconds(start),
  end: unixSeconds(end),
});

const unixSeconds = (moment: Date | null): number | null => moment && Math.floor(moment.getTime() / 1_000);
