const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'];

/**
 * Formats bytes as `1.2 GB`, in decimal units as shops and most systems use them.
 * @param {number} bytes
 */
export function formatBytes(bytes) {
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

/**
 * Formats seconds as `3 min`, rounded for people.
 * @param {number} seconds
 */
export function formatDuration(seconds) {
  if (seconds < 10) return 'a few seconds';
  if (seconds < 60) return `${Math.ceil(seconds / 10) * 10}\u00a0s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes}\u00a0min`;
  const hours = Math.floor(minutes / 60);
  if (hours >= 48) return `${Math.round(hours / 24)}\u00a0days`;
  return minutes % 60 === 0 || hours >= 10 ? `${hours}\u00a0h` : `${hours}\u00a0h ${minutes % 60}\u00a0min`;
}

/**
 * `1 file`, `3 files`.
 * @param {number} count
 */
export const countFiles = (count) => `${count.toLocaleString('en')} ${count === 1 ? 'file' : 'files'}`;

/**
 * Whole percent, rounded down, so that 100 means complete.
 * @param {number} part
 * @param {number} whole
 */
export const percentOf = (part, whole) => (whole === 0 ? 0 : Math.min(100, Math.floor((part / whole) * 100)));
