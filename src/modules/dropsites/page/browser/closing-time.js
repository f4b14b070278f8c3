/**
 * The closing time of the dropsite in the time zone of the browser. Midnight is called the end of the previous day, as in the text that the
 * page shows in UTC before its scripts run.
 * @param {Date} moment
 */
export function describeClosing(moment) {
  const isMidnight = moment.getHours() === 0 && moment.getMinutes() === 0 && moment.getSeconds() === 0;
  if (!isMidnight) return `Open until ${moment.toLocaleString('en-GB', { dateStyle: 'long', timeStyle: 'short' })}.`;
  return `Open until the end of ${new Date(moment.getTime() - 1).toLocaleDateString('en-GB', { dateStyle: 'long' })}.`;
}
