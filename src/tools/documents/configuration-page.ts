import { namedSettings } from './named-settings.js';
import { code, table } from './table.js';

const HEAD = `# Configuration

Every setting is an environment variable. \`npm start\` and the other programs also read the file \`.env\` in the folder of the project
(\`cp .env.example .env\`); the environment wins. An empty value counts as none. All settings are checked at start, and all problems are
told at once.

Nothing is required on a development machine: an embedded PostgreSQL, secrets and a demo login are made in \`DATA_DIR\`. With
\`NODE_ENV=production\` the service refuses these and needs \`DATABASE_URL\`, \`APP_SECRET\` (\`openssl rand -base64 32\`) and \`PUBLIC_URL\`
(https). All machines of one installation share these three. Behind a reverse proxy set \`TRUST_PROXY\` to its address, else every
request seems to come from the proxy; only the address is taken from it, never the host, which is always that of \`PUBLIC_URL\`.

This page is generated (\`npm run docs\`) from \`src/shared/config/settings.ts\`.
`;

/** The content of docs/configuration.md. */
export function renderConfigurationPage(): string {
  const rows = namedSettings().map(({ name, fallback, values, description, secret }) => [
    code(name),
    fallback === '' ? '' : code(fallback),
    values === '' ? description : `${description} (${values})`,
    secret ? 'yes' : '',
  ]);
  return `${HEAD}\n${table(['Variable', 'Default', 'Meaning', 'Secret'], rows)}`;
}
