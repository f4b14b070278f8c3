import type { DeliverableContainer } from '../../media/index.js';
import type { EmbedLink } from '../../player-configurations/index.js';

const DELETED = 1;
const IN_TRASH = 1;

interface Period {
  readonly start?: Date | string | null;
  readonly end?: Date | string | null;
}

/** Whether a link is available: link, container and license have all started (otherwise 404), and none of them has ended (410). */
export function availabilityOf(
  link: Pick<EmbedLink, 'flag' | 'start' | 'end'>,
  container: Pick<DeliverableContainer, 'flag' | 'start' | 'end' | 'license'>,
  now: Date,
): 'available' | 'ended' | 'not_started' {
  const periods: Period[] = [link, container, container.license ?? {}];
  if (link.flag === DELETED || container.flag === IN_TRASH) return 'ended';
  if (periods.some(({ end }) => timeOf(end) <= now.getTime())) return 'ended';
  return periods.some(({ start }) => timeOf(start) > now.getTime()) ? 'not_started' : 'available';
}

/** NaN, which is neither before nor after any moment, if no time is set. */
const timeOf = (time: Date | string | null | undefined): number => (time ? new Date(time).getTime() : Number.NaN);
