import type { EmbedLink } from './embed-link.entity.js';

/** A media container as viewers see it, by the rules of a player configuration. */
export class EmbedLinkResponse {
  /** @example 9 */
  id: number;
  /** What stands in the address that viewers use: `/v5/deliverEmbed/{link}`. @example "b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11" */
  link: string;
  /** @example 1 */
  customerId: number;
  /** @example 7 */
  mediaContainerId: number;
  /** Null: it was destroyed, and the link with it. @example 3 */
  playerConfigurationId: number | null;
  /** @example "video" */
  type: EmbedLink['type'];
  /** @example "" */
  description: string;
  /** 0: active, 1: deleted, 10: hidden. @example 0 */
  flag: EmbedLink['flag'];
  /** Where it came from; `autoGenerate`: made by itself. @example null */
  origin: string | null;
  /** From when on it works (unix seconds). @example null */
  start: number | null;
  /** Until when it works (unix seconds). @example null */
  end: number | null;
  /** @example 12 */
  creatorId: number;
  /** ISO 8601. */
  createdAt: Date;
}

/** An embed link that was asked for. */
export class CreatedEmbedLinkResponse extends EmbedLinkResponse {
  /** False: there was one for this container and configuration, which is answered as it is. @example true */
  created: boolean;
}

export const toEmbedLinkResponse = ({ start, end, ...link }: EmbedLink): EmbedLinkResponse => ({
  ...link,
  start: toUnixSeconds(start),
  end: toUnixSeconds(end),
});

const toUnixSeconds = (moment: Date | null): number | null => moment && Math.floor(moment.getTime() / 1_000);
