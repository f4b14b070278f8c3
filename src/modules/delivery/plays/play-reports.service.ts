import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { Clock } from '../../../shared/clock.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { SeriesCounter, seriesByValue } from '../../../shared/series-counter.js';
import { countSeen, type Delivered, DeliveryCountsService, type Hundredths, parseHundredths } from '../../statistics/index.js';
import { deliveryErrors } from '../delivery.errors.js';
import type { OpenedLink } from '../gate/delivery-gate.service.js';
import { visitOf } from '../gate/visit-of.js';
import { PLAY_EVENTS, type PlayReportDto } from './plays.dto.js';

const PURPOSE = 'play of a player page';
/** As long as the admission of a page: one that is left open during a working day still plays. */
const TTL_MS = 12 * 3_600_000;
/** Clocks of processes differ, and a browser rounds. */
const TOLERANCE_SECONDS = 3;
/** The fastest that players play. */
const MAX_SPEED = 2;
/** Hundredths that a viewer who only jumps reaches: one every two seconds, and two to begin with. */
const JUMPS = { perSecond: 0.5, atOnce: 2 };

/** A play of one page as the service has issued it. */
interface IssuedPlay {
  readonly id: string;
  /** Unix milliseconds. */
  readonly issuedAt: number;
  /** Seconds of the film or sound; 0: unknown. */
  readonly length: number;
  readonly visit: Delivered;
}

const reports = new SeriesCounter({
  name: 'play_reports_total',
  help: 'Reports of player pages, by what happened; refused: forged, expired or impossible ones, which count nothing.',
  labels: ['event'],
});
const accepted = seriesByValue(reports, 'event', PLAY_EVENTS);
const refused = reports.series({ event: 'refused' });

const HEIGHTS = [360, 480, 720, 1_080, 1_440, 2_160] as const;
const begun = new SeriesCounter({
  name: 'plays_begun_total',
  help: 'Plays of player pages, by the height of their first picture.',
  labels: ['height'],
});

/** Issues plays to player pages, and accepts their reports. Nothing is looked up: a report costs the check of its signature. */
@Injectable()
export class PlayReportsService {
  constructor(
    private readonly counts: DeliveryCountsService,
    private readonly secrets: SecretBoxService,
    private readonly clock: Clock,
  ) {}

  /** The host of the page around a player; empty: unknown. In a frame that loads itself again, the admission names it. */
  hostOf(opened: OpenedLink, request: Request): string {
    return opened.viewer.admittedPage?.host ?? visitOf(opened, request).host;
  }

  /** The play of a page that was opened now, as a token that its reports contain. */
  issue(opened: OpenedLink, request: Request): string {
    // The preview picture of a film may be an animation.
    const length = Math.max(0, ...opened.items.map(({ type, duration }) => (type === 'image' ? 0 : (duration ?? 0))));
    const visit = { ...visitOf(opened, request), host: this.hostOf(opened, request) };
    const play: IssuedPlay = { id: randomUUID(), issuedAt: this.clock.now().getTime(), length, visit };
    const payload = Buffer.from(JSON.stringify(play)).toString('base64url');
    return `${payload}.${this.secrets.mac(PURPOSE, `${opened.link.link} ${payload}`).toString('base64url')}`;
  }

  /** Counts a report. Throws 403 `play_refused` for one that is forged, expired or impossible; the same report again counts nothing. */
  accept(link: string, { play: token, event, position, watched, seen, height }: PlayReportDto): void {
    const play = this.findIssued(link.toLowerCase(), token);
    const hundredths = parseHundredths(seen);
    const problem = play
      ? findProblem(play, { position, watched, seen: hundredths }, this.clock.now().getTime())
      : 'The play was not issued to a page of this link.';
    if (!play || problem !== null) {
      refused.count += 1;
      throw deliveryErrors.play_refused(`The report counts nothing. ${problem}`);
    }
    accepted[event].count += 1;
    if (event === 'begin') begun.series({ height: String(HEIGHTS.findLast((one) => one <= (height ?? 0)) ?? 'other') }).count += 1;
    const { id, issuedAt, visit } = play;
    this.counts.played({
      ...visit,
      id,
      beganAt: new Date(issuedAt),
      watchedSeconds: Math.round(watched),
      seen: hundredths,
      fetchedLength: null,
    });
  }

  private findIssued(link: string, token: string): IssuedPlay | null {
    const [payload = '', mac = ''] = token.split('.');
    if (!this.secrets.isMac(mac, { purpose: PURPOSE, value: `${link} ${payload}`, encoding: 'base64url' })) return null;
    return JSON.parse(Buffer.from(payload, 'base64url').toString()) as IssuedPlay;
  }
}

interface Watched {
  readonly position: number;
  readonly watched: number;
  readonly seen: Hundredths;
}

/** Why a report is impossible; null: it may be true. */
function findProblem({ issuedAt, length }: IssuedPlay, { position, watched, seen }: Watched, now: number): string | null {
  const elapsed = (now - issuedAt) / 1_000;
  if (elapsed * 1_000 > TTL_MS) return 'The page was opened too long ago; reload it.';
  if (watched > elapsed + TOLERANCE_SECONDS) return 'More seconds are said to be watched than have passed.';
  if (length > 0 && Math.max(position, watched) > length + TOLERANCE_SECONDS) return 'The film is not that long.';
  const most = JUMPS.atOnce + watched * (JUMPS.perSecond + (length > 0 ? (MAX_SPEED * 100) / length : 0));
  return countSeen(seen) > most ? 'More of the film is said to be seen than can be watched in that time.' : null;
}
