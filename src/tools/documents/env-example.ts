import { namedSettings } from './named-settings.js';

const HEAD = `# Settings of the service. Copy this file to .env (npm start and compose.yaml read it) and take the # from what you change; what the
# environment says wins. docs/configuration.md says more. Production needs NODE_ENV, PUBLIC_URL, DATABASE_URL and APP_SECRET.
`;

const FOOT = `# for compose.yaml alone: password of its PostgreSQL, letters and digits (it becomes a part of DATABASE_URL there)
#POSTGRES_PASSWORD=
`;

/** The content of .env.example: every setting with its default, commented out. */
export function renderEnvExample(): string {
  const entries = namedSettings().map(({ name, description, fallback }) => `# ${description}\n#${name}=${quoted(fallback)}\n`);
  return [HEAD, ...entries, FOOT].join('\n');
}

/** Shells would split a value at a blank. */
const quoted = (value: string): string => (value.includes(' ') ? `"${value}"` : value);
