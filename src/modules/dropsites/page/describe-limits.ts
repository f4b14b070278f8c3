import { describeBytes } from '../../../shared/web/index.js';
import type { MediaType } from '../../media/index.js';
import type { Dropsite } from '../dropsite.entity.js';

type Limits = Pick<Dropsite, 'allowedTypes' | 'maxItemsPerDay' | 'maxBytesPerDay'>;

const WORDS: Readonly<Record<MediaType, string>> = { video: 'videos', audio: 'sound files', image: 'images', document: 'documents' };
const DAY_MS = 86_400_000;

/** The limits of uploads to a dropsite in one line of text; empty if it has none. */
export function describeLimits({ allowedTypes, maxItemsPerDay, maxBytesPerDay }: Limits): string {
  const amounts = [
    ...(maxItemsPerDay === null ? [] : [maxItemsPerDay === 1 ? '1 file' : `${maxItemsPerDay.toLocaleString('en')} files`]),
    ...(maxBytesPerDay === null ? [] : [describeBytes(maxBytesPerDay)]),
  ];
  const sentences = [
    ...(allowedTypes.length === 0 ? [] : [`${capital(listed(allowedTypes.map((type) => WORDS[type])))} only.`]),
    ...(amounts.length === 0 ? [] : [`At most ${amounts.join(' and ')} a day.`]),
  ];
  return sentences.join(' ');
}

/** Describes when a dropsite expires, in UTC, for browsers that cannot convert it to the local time zone. */
export const describeClosing = (expiresAt: Date): string => `Open until ${describeDay(expiresAt)}.`;

const listed = (words: readonly string[]): string =>
  words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/**
 * Describes midnight as the end of the previous day, because "3 February at 00:00" is easily read as the following night; a date without a
 * time is stored as the millisecond before midnight.
 */
function describeDay(expiresAt: Date): string {
  const moment = new Date(Math.ceil(expiresAt.getTime() / 1000) * 1000);
  const format = (options: Intl.DateTimeFormatOptions, when: Date) =>
    new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' }).format(when);
  if (moment.getTime() % DAY_MS !== 0) return `${format({ dateStyle: 'long', timeStyle: 'short' }, moment)} UTC`;
  return `the end of ${format({ dateStyle: 'long' }, new Date(moment.getTime() - 1))} (UTC)`;
}
