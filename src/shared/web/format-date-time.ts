const date = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });
const time = new Intl.DateTimeFormat('en-GB', { timeStyle: 'short', timeZone: 'UTC' });

/** Stays with the time when a narrow column breaks the line. */
const UTC = '\u00a0UTC';

/** A moment for people: `3 Feb 2026, 14:05 UTC`. The page cannot know the reader's time zone without a script, so it names its own. */
export const formatDateTime = (moment: Date): string => `${date.format(moment)}, ${time.format(moment)}${UTC}`;
