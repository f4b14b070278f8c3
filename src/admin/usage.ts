import { commands } from './commands.js';

const lines = Object.values(commands).flatMap(({ synopsis, summary }) => [`  ${synopsis}`, `      ${summary}`]);

/** What `admin help` prints; a test keeps it within a window of 40 lines. */
export const usage = [
  'npm run -s admin -- COMMAND        prints JSON; messages and errors go to stderr',
  '',
  ...lines,
  '',
  'Commands that change something take --reason TEXT for the audit trail.',
  'They work on DATABASE_URL, else on the database in DATA_DIR, in use or not.',
].join('\n');
