import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../../shared/clock.js';
import { parseRange } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { type DeliverableItem, MediaRepository, type StreamingIndex } from '../../media/index.js';
import { type Delivered, DeliveryCountsService, hundredthsOf } from '../../statistics/index.js';
import { parsePlay } from './play-parameter.js';

/** Renditions whose segments a process knows; each takes some kilobytes for an hour of film. */
const MAX_INDEXES = 500;
/** The session id of a player (CTA-5004 section 3): a quoted text of at most 64 characters. */
const SESSION = /(?:^|[,\s])sid="([^"\\]{1,64})"/;
const PURPOSE = 'session of a player';

/** The periods of a rendition's segments, and where each ends in its file. */
interface Timeline {
  /** Bytes before the first segment. */
  readonly headerBytes: number;
  /** For each segment the first byte after it. */
  readonly ends: readonly number[];
  /** For each segment the milliseconds until its end. */
  readonly untilMs: readonly number[];
}

/**
 * Counts the plays of players that report nothing, by the segments that they fetch. A play is known by the session id that the player sends, or else by
 * the random id that its playlist put into the addresses of segments.
 */
@Injectable()
export class FetchedPlaysService {
  private readonly timelines = new Map<number, Promise<Timeline | null>>();

  constructor(
    private readonly counts: DeliveryCountsService,
    private readonly media: MediaRepository,
    private readonly secrets: SecretBoxService,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Counts the segments that a request fetches. Returns at once: the delivery does not wait for the positions of segments. */
  count(item: DeliverableItem, visit: Delivered, request: Request): void {
    const id = this.findPlay(visit, request);
    if (id === null || request.method === 'HEAD') return;
    this.countRange(id, item, { visit, range: request.headers.range }).catch((err: unknown) =>
      this.log.warn({ err }, 'a play was not counted'),
    );
  }

  /** The id of the play as a uuid; null: a player page reports it, or the address is not from a playlist. */
  private findPlay({ embedLinkId }: Delivered, { query, headers }: Request): string | null {
    const play = parsePlay(query.play);
    if (play?.by === 'page') return null;
    const session = SESSION.exec(textOf(query.CMCD))?.[1] ?? SESSION.exec(textOf(headers['cmcd-session']))?.[1];
    if (session !== undefined) return toUuid(this.secrets.mac(PURPOSE, `${embedLinkId} ${session}`));
    return play && toUuid(Buffer.from(play.id, 'base64url'));
  }

  private async countRange(
    id: string,
    item: DeliverableItem,
    { visit, range }: { visit: Delivered; range: string | undefined },
  ): Promise<void> {
    const beganAt = this.clock.now();
    const timeline = await this.timelineOf(item.id);
    const length = timeline?.untilMs.at(-1) ?? 0;
    const period = timeline && periodOf(timeline, range, item.fileSize);
    if (!period) return;
    this.counts.played({ ...visit, id, beganAt, watchedSeconds: 0, seen: hundredthsOf(period, length), fetchedLength: length / 1_000 });
  }

  /** The segments of a rendition, which never change. A failure is not cached. */
  private async timelineOf(id: number): Promise<Timeline | null> {
    const known = this.timelines.get(id);
    if (known) return await known;
    if (this.timelines.size >= MAX_INDEXES) this.timelines.clear();
    const timeline = this.media.findStreamingIndex(id).then((index) => index && toTimeline(index));
    this.timelines.set(id, timeline);
    timeline.catch(() => this.timelines.delete(id));
    return await timeline;
  }
}

function toTimeline({ headerBytes, segmentBytes, segmentMs }: StreamingIndex): Timeline {
  let [bytes, ms] = [headerBytes, 0];
  const ends = segmentBytes.map((size) => (bytes += size));
  const untilMs = segmentMs.map((duration) => (ms += duration));
  return { headerBytes, ends, untilMs };
}

/**
 * The period of the segments that a range contains to their end, in milliseconds; null: none. Of a range without an end, only the segment in which it
 * begins: the client stops when it has enough.
 */
function periodOf({ headerBytes, ends, untilMs }: Timeline, header: string | undefined, size: number) {
  const range = parseRange(header, size);
  if (range === null || range === 'unsatisfiable' || range.end < headerBytes) return null;
  const first = ends.findIndex((end) => end > Math.max(range.start, headerBytes));
  const isOpen = header?.trim().endsWith('-');
  const last = isOpen ? first : ends.findLastIndex((end) => end <= range.end + 1);
  if (first === -1 || last < first) return null;
  return { from: untilMs[first - 1] ?? 0, to: untilMs[last] ?? 0 };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The first 16 bytes as a uuid. */
const toUuid = (bytes: Buffer): string => bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
