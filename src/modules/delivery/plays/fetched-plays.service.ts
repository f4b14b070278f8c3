import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../../shared/clock.js';
import { parseRange } from '../../../shared/http/index.js';
import { Log } from '../../../shared/logging/index.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { SharedWork } from '../../../shared/shared-work.js';
import { type DeliverableItem, MediaReaderRepository, type StreamingIndex } from '../../media/index.js';
import { type Delivered, DeliveryCountsService, hundredthsOf } from '../../statistics/index.js';
import { parsePlay } from './play-parameter.js';

/** Renditions whose segments a process knows; each takes some kilobytes for an hour of film. */
const MAX_INDEXES = 500;
/** The session id of a player (CTA-5004 section 3): a text of at most 64 characters in quotes, which some players leave out. */
const SESSION = /(?:^|[,\s])sid=(?:"([^"\\]{1,64})"|([\w-]{1,64})(?=[,\s]|$))/;
const SESSION_PURPOSE = 'session of a player';
const PLAY_PURPOSE = 'play of a playlist';
/** The parts of an issued play, which each segment of a playlist repeats: enough that neither is guessed at the rate of requests. */
const [NAME_BYTES, MAC_BYTES] = [9, 7];
/** Plays whose ids a process knows; each takes about 200 bytes. */
const MAX_PLAYS = 10_000;

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
 * Counts the plays of players that report nothing, by the segments that they fetch. Their playlist has put an issued play into the addresses of segments.
 * A play is named by the session that the player sends with a playlist or a segment; without one, each multivariant playlist has a play of its own.
 */
@Injectable()
export class FetchedPlaysService {
  private readonly ids = new Map<string, string>();
  /** The segments of renditions, which never change. */
  private readonly timelines = new SharedWork<Timeline | null, number>({ keptMs: Number.POSITIVE_INFINITY, limit: MAX_INDEXES });

  constructor(
    private readonly counts: DeliveryCountsService,
    private readonly media: MediaReaderRepository,
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

  /** The play for the addresses in a playlist of a link: of the player's session, of the playlist's own address, or a new one. */
  playOf(embedLinkId: number, request: Request): string {
    const { query } = request;
    const play = parsePlay(query.play);
    const session = sessionOf(request);
    if (play?.by === 'page') return String(query.play);
    if (session === null && play && this.isIssued(embedLinkId, play.id)) return play.id;
    return this.issue(embedLinkId, session).toString('base64url');
  }

  /** Issues the play of a session, or a new one: its name, and a signature. */
  private issue(embedLinkId: number, session: string | null): Buffer {
    const name =
      session === null ? randomBytes(NAME_BYTES) : this.secrets.mac(SESSION_PURPOSE, `${embedLinkId} ${session}`).subarray(0, NAME_BYTES);
    return Buffer.concat([name, this.secrets.mac(PLAY_PURPOSE, signedValue(embedLinkId, name)).subarray(0, MAC_BYTES)]);
  }

  private isIssued(embedLinkId: number, play: string): boolean {
    const bytes = Buffer.from(play, 'base64url');
    const value = signedValue(embedLinkId, bytes.subarray(0, NAME_BYTES));
    const mac = bytes.toString('hex', NAME_BYTES);
    return this.secrets.isMac(mac, { purpose: PLAY_PURPOSE, value, encoding: 'hex', bytes: MAC_BYTES });
  }

  /** The id of the play as a uuid; null: a player page reports it, or the address is not from a playlist of the link. */
  private findPlay({ embedLinkId }: Delivered, request: Request): string | null {
    const play = parsePlay(request.query.play);
    if (play?.by !== 'fetched' || embedLinkId === null) return null;
    const session = sessionOf(request);
    const key = `${embedLinkId} ${play.id} ${session ?? ''}`;
    const known = this.ids.get(key);
    if (known !== undefined) return known;
    if (!this.isIssued(embedLinkId, play.id)) return null;
    const id = toUuid(session === null ? Buffer.from(play.id, 'base64url') : this.issue(embedLinkId, session));
    if (this.ids.size >= MAX_PLAYS) this.ids.clear();
    this.ids.set(key, id);
    return id;
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

  private async timelineOf(id: number): Promise<Timeline | null> {
    const read = async () => {
      const index = await this.media.findStreamingIndex(id);
      return index && toTimeline(index);
    };
    return await this.timelines.get(read, id);
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

const signedValue = (embedLinkId: number, name: Buffer): string => `${embedLinkId} ${name.toString('hex')}`;

/** The session that a player sends in the query or in a header; null: none. */
function sessionOf({ query, headers }: Request): string | null {
  const [, quoted, plain] = SESSION.exec(textOf(query.CMCD)) ?? SESSION.exec(textOf(headers['cmcd-session'])) ?? [];
  return quoted ?? plain ?? null;
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** The first 16 bytes as a uuid. */
const toUuid = (bytes: Buffer): string => bytes.toString('hex', 0, 16).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
