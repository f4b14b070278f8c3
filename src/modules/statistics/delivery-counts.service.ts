import { Injectable } from '@nestjs/common';
import { Clock } from '../../shared/clock.js';
import { CountingService, type Counts } from '../../shared/counting/index.js';
import { utcDayOf } from '../../shared/utc-day.js';
import { KnownHosts } from './known-hosts.js';
import { type CountedFigures, type Delivered, type PlayReport, StatisticsRepository } from './statistics.repository.js';

type Row = PlayReport | CountedFigures;

/** What is added to the figures of a day; absent members are 0. */
type Added = Partial<Pick<CountedFigures, 'rule' | 'downloads' | 'pictures' | 'refused' | 'bytes'>>;
/** A report of a play, whose day is the one on which it began. */
type Report = Omit<PlayReport, 'kind' | 'day'> & { readonly beganAt: Date };

const NOTHING = { rule: '', downloads: 0, pictures: 0, refused: 0, bytes: 0 } as const;

/** Counts deliveries and plays in memory, but not those of owners; they are written every ten seconds by one statement. */
@Injectable()
export class DeliveryCountsService {
  private readonly counts: Counts<Row>;
  private readonly hosts = new KnownHosts();

  constructor(
    private readonly clock: Clock,
    repository: StatisticsRepository,
    counting: CountingService,
  ) {
    this.counts = counting.register<Row>({
      name: 'statistics',
      merge: mergeRows,
      write: async (rows) => {
        await repository.add([...rows.values()]);
        return new Map();
      },
    });
  }

  /** Counts a delivery: bytes, and whether it was a download or a picture. */
  delivered(to: Delivered, figures: Omit<Added, 'rule' | 'refused'>): void {
    this.addFigures(to, figures);
  }

  /** Counts a refusal by a delivery rule. */
  refused(to: Delivered, rule: string): void {
    this.addFigures(to, { rule, refused: 1 });
  }

  /** Counts what a player reports, or fetched, of a play; the same again counts nothing. */
  played({ beganAt, ...report }: Report): void {
    if (report.isOwners) return;
    const day = utcDayOf(beganAt);
    this.counts.add(report.id, { ...report, kind: 'play', day, host: this.hosts.hostFor(report, day) });
  }

  private addFigures(to: Delivered, added: Added): void {
    if (to.isOwners) return;
    const day = utcDayOf(this.clock.now());
    const row = { ...to, ...NOTHING, ...added, kind: 'figures', day, host: this.hosts.hostFor(to, day) } as const;
    const { customerId, mediaContainerId, embedLinkId, playerConfigurationId, device, host, rule } = row;
    this.counts.add([day, customerId, mediaContainerId, embedLinkId, playerConfigurationId, device, host, rule].join(' '), row);
  }
}

/** Combines two rows of the same key. Both are of the same kind, because the id of a play has no blanks. */
function mergeRows(one: Row, other: Row): Row {
  if (one.kind === 'figures') return other.kind === 'figures' ? addFigures(one, other) : one;
  if (other.kind !== 'play') return one;
  return { ...one, watchedSeconds: Math.max(one.watchedSeconds, other.watchedSeconds), seen: one.seen | other.seen };
}

const addFigures = (one: CountedFigures, other: CountedFigures): CountedFigures => ({
  ...one,
  downloads: one.downloads + other.downloads,
  pictures: one.pictures + other.pictures,
  refused: one.refused + other.refused,
  bytes: one.bytes + other.bytes,
});
