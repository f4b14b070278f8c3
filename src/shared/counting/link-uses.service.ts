import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { CountingService } from './counting.service.js';
import type { Counts } from './counts.js';
import { LinkUsesRepository, type UsedLink } from './link-uses.repository.js';

const HOUR_MS = 3_600_000;
/** How often a use is written again whose row was locked; the row of a deleted link is never found. */
const MAX_TRIES = 6;

/** How often links were used since they were last written, and when (by the hour). */
interface Uses extends UsedLink {
  readonly kind: string;
  readonly tries: number;
}

/** Counts how often the links of customers are used. All kinds of links are written by one statement. */
@Injectable()
export class LinkUsesService {
  private readonly counts: Counts<Uses>;

  constructor(
    private readonly repository: LinkUsesRepository,
    private readonly clock: Clock,
    counting: CountingService,
  ) {
    this.counts = counting.register<Uses>({
      name: 'link_uses',
      merge: (one, other) => ({
        ...other,
        uses: one.uses + other.uses,
        hour: one.hour > other.hour ? one.hour : other.hour,
        tries: one.tries,
      }),
      write: async (rows) => await this.write(rows),
    });
  }

  /** Counts a use of a link. */
  count(kind: string, id: number): void {
    const now = this.clock.now().getTime();
    this.counts.add(`${kind} ${id}`, { kind, id, uses: 1, hour: new Date(now - (now % HOUR_MS)), tries: 0 });
  }

  private async write(rows: ReadonlyMap<string, Uses>): Promise<ReadonlyMap<string, Uses>> {
    const written = await this.repository.add([...rows.values()]);
    const left = [...rows].filter(([key, { tries }]) => !written.has(key) && tries + 1 < MAX_TRIES);
    return new Map(left.map(([key, uses]) => [key, { ...uses, tries: uses.tries + 1 }]));
  }
}
