/**
 * The closing time of the dropsite in the time zone of the browser. Midnight and the millisecond before it are called the end of the day, as
 * in the text that the page shows in UTC before its scripts run.
 * @param {Date} expiresAt
 */
export function describeClosing(expiresAt) {
  const moment = new Date(Math.ceil(expiresAt.getTime() / 1000) * 1000);
  const isMidnight = moment.getHours() === 0 && moment.getMinutes() === 0 && moment.getSeconds() === 0;
  if (!isMidnight) return `Open until ${moment.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })}.`;
  return `Open until the end of ${new Date(moment.getTime() - 1).toLocaleDateString('en-GB', { dateStyle: 'long' })}.`;
}
