import { environmentName, settings } from '../shared/config/index.js';
import { errorCatalogue } from '../shared/errors.js';
import { statusOfKind } from '../shared/http/index.js';

/** The documents that are generated from the code; a test fails if one is outdated. */
export const documents: Readonly<Record<string, () => string>> = {
  '.env.example': renderEnvExample,
  'docs/configuration.md': renderConfigurationPage,
  'docs/errors.md': renderErrorsPage,
};

const CONFIGURATION_HEAD = `# Configuration

Every setting is an environment variable. \`npm start\` and the other programs also read the file \`.env\` in the folder of the project
(\`cp .env.example .env\`); environment variables take precedence. An empty value counts as absent. The service checks all settings at start
and reports all problems together.

A development machine needs no settings: the service creates an embedded PostgreSQL, secrets and a demo login in \`DATA_DIR\`. With
\`NODE_ENV=production\` it refuses these and requires \`DATABASE_URL\`, \`APP_SECRET\` (\`openssl rand -base64 32\`), \`PUBLIC_URL\` (https),
\`S3_BUCKET\` and \`STS_ROLE_ARN\`. All machines of one installation share these. Behind a reverse proxy set \`TRUST_PROXY\` to its address; otherwise every
request seems to come from the proxy. The service takes only the client address from the proxy, never the host, which is always that of \`PUBLIC_URL\`.

This page is generated (\`npm run docs\`) from \`src/shared/config/settings.ts\`.
`;

/** The content of docs/configuration.md. */
function renderConfigurationPage(): string {
  const rows = namedSettings().map(({ name, fallback, values, description, secret }) => [
    code(name),
    fallback === '' ? '' : code(fallback),
    values === '' ? description : `${description} (${values})`,
    secret ? 'yes' : '',
  ]);
  return `${CONFIGURATION_HEAD}\n${table(['Variable', 'Default', 'Meaning', 'Secret'], rows)}`;
}

const ENV_HEAD = `# Settings of the service. Copy this file to .env (npm start and compose.yaml read it) and remove the # from the settings that you change.
# Environment variables take precedence. docs/configuration.md has the details. Production needs NODE_ENV, PUBLIC_URL, DATABASE_URL, APP_SECRET, S3_BUCKET and STS_ROLE_ARN.
`;

const ENV_FOOT = `# for compose.yaml alone: password of its PostgreSQL, letters and digits (it becomes a part of DATABASE_URL there)
#POSTGRES_PASSWORD=
`;

/** The content of .env.example: every setting with its default, commented out. */
function renderEnvExample(): string {
  const entries = namedSettings().map(({ name, description, fallback }) => `# ${description}\n#${name}=${quoted(fallback)}\n`);
  return [ENV_HEAD, ...entries, ENV_FOOT].join('\n');
}

/** Shells would split an unquoted value at a space. */
const quoted = (value: string): string => (value.includes(' ') ? `"${value}"` : value);

const ERRORS_HEAD = `# Errors

Errors of the API are problem documents (RFC 9457, \`application/problem+json\`): \`type\`, \`title\`, \`status\`, \`detail\` (a sentence for a
person, which may change), \`code\` (stable; programs should use this one), \`message\` (the same text as \`detail\`, for older clients) and
\`requestId\` (the same as in the header \`x-request-id\` and in the log). \`validation_failed\` lists all problems as
\`errors: [{ path, code, message }]\`. The OAuth endpoints use the format of RFC 6749 instead, see [oauth.md](oauth.md).

\`errors\` contains one problem for each field, or for each element of a list. Two codes are checked before any rule about the content:

| \`code\` | the field |
|---|---|
| \`required\` | is missing, or null although it is required. Null is valid where it clears an optional field |
| \`type\` | has another JSON type than the field: text, number, whole number, boolean, list, object. In a query numbers are digits, and booleans are \`true\`, \`false\`, \`1\` or \`0\` |

For a text, number or list that breaks a limit or pattern the code is the name of the rule (\`max_length\`, \`min\`, \`is_in\`, \`array_max_size\` …),
for a reference to a missing record \`not_found\`, and for an unknown query parameter of a list \`unknown_parameter\`.

This page is generated (\`npm run docs\`) from the \`*.errors.ts\` files, which declare the codes.
`;

/** The content of docs/errors.md. All modules that declare error codes must already be loaded. */
function renderErrorsPage(): string {
  const rows = [...errorCatalogue]
    .map(([name, { kind, meaning }]) => ({ name, status: statusOfKind(kind), meaning }))
    .sort((one, other) => one.status - other.status || (one.name < other.name ? -1 : 1))
    .map(({ name, status, meaning }) => [code(name), String(status), meaning]);
  return `${ERRORS_HEAD}\n${table(['Code', 'Status', 'Meaning'], rows)}`;
}

/** A setting as shown in the documents. */
interface NamedSetting {
  /** The name of the environment variable. */
  readonly name: string;
  readonly description: string;
  /** Empty if there is no default. */
  readonly fallback: string;
  readonly values: string;
  readonly secret: boolean;
}

interface Described {
  readonly description: string;
  readonly values?: string;
  readonly fallback: unknown;
  readonly secret?: boolean;
}

/** All settings in order. */
const namedSettings = (): readonly NamedSetting[] =>
  Object.entries<Described>(settings).map(([key, { description, values = '', fallback, secret = false }]) => ({
    name: environmentName(key),
    description,
    fallback: String(fallback ?? ''), // a list becomes a,b
    values,
    secret,
  }));

/** A Markdown table. */
function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return line(head) + line(head.map(() => '---')) + rows.map(line).join('');
}

const code = (text: string): string => `\`${text}\``;
