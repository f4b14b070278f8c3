const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/** Formats bytes as `1.2 GB`, in decimal units as shops and most systems use them. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (unit < UNITS.length - 1 && Number(value.toPrecision(3)) >= 1_000) {
    value /= 1_000;
    unit += 1;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : 1;
  const text = value.toFixed(digits).replace(/\.0$/, '');
  return `${text}\u00a0${unit === 0 && bytes === 1 ? 'byte' : UNITS[unit]}`;
}

/** Formats seconds as `3 min`, rounded for people. */
export function formatDuration(seconds: number): string {
  if (seconds < 10) return 'a few seconds';
  if (seconds < 60) return `${Math.ceil(seconds / 10) * 10}\u00a0s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}\u00a0min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.round(hours / 24)}\u00a0days`;
  return minutes % 60 === 0 || hours >= 10 ? `${hours}\u00a0h` : `${hours}\u00a0h ${minutes % 60}\u00a0min`;
}

/** `1 file`, `3 files`. */
export const countFiles = (count: number): string => `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'}`;

/** The sum of the sizes of files in bytes. */
export const sizeOf = (files: readonly { readonly size: number }[]): number => files.reduce((sum, { size }) => sum + size, 0);

/** Whole percent, rounded down, so that 100 means complete. */
export const percentOf = (part: number, whole: number): number => (whole === 0 ? 0 : Math.min(100, Math.floor((part / whole) * 100)));

/**
 * The closing time of the dropsite in the time zone of the browser. Midnight and the millisecond before it are called the end of the day, as
 * in the text that the page shows in UTC before its scripts run.
 */
export function describeClosing(expiresAt: Date): string {
  const moment = new Date(Math.ceil(expiresAt.getTime() / 1000) * 1000);
  const isMidnight = moment.getHours() === 0 && moment.getMinutes() === 0 && moment.getSeconds() === 0;
  if (!isMidnight) return `Open until ${moment.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })}.`;
  return `Open until the end of ${new Date(moment.getTime() - 1).toLocaleDateString('en-GB', { dateStyle: 'long' })}.`;
}
