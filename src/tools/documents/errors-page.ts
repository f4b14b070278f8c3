import { errorCatalogue } from '../../shared/errors/index.js';
import { statusOfKind } from '../../shared/http/index.js';
import { code, table } from './table.js';

const HEAD = `# Errors

Errors of the API are problem documents (RFC 9457, \`application/problem+json\`): \`type\`, \`title\`, \`status\`, \`detail\` (a sentence for a
person, which may change), \`code\` (stable: decide by this one), \`message\` (the same text as \`detail\`, for older clients) and
\`requestId\` (the same as in the header \`x-request-id\` and in the log). With \`validation_failed\` come all problems as
\`errors: [{ path, code, message }]\`. The OAuth endpoints answer in the shape of RFC 6749 instead, see [oauth.md](oauth.md).

In \`errors\` there is one problem for each field, or for each element of a list, and these two come before any rule about its content:

| \`code\` | the field |
|---|---|
| \`required\` | is missing, or null although it has to be there. Where null clears an optional field it is no problem |
| \`type\` | is of another type of JSON than the field: text, number, whole number, boolean, list, object. In a query numbers are digits, and booleans are \`true\`, \`false\`, \`1\` or \`0\` |

A text, number or list that breaks a limit or pattern has the rule's name (\`max_length\`, \`min\`, \`is_in\`, \`array_max_size\` …), a reference to what
does not exist \`not_found\`, and a query parameter that a list does not have \`unknown_parameter\`.

This page is generated (\`npm run docs\`) from where the codes are declared, the \`*.errors.ts\` files.
`;

/** The content of docs/errors.md. The modules that declare codes have to be loaded before. */
export function renderErrorsPage(): string {
  const rows = [...errorCatalogue]
    .map(([name, { kind, meaning }]) => ({ name, status: statusOfKind(kind), meaning }))
    .sort((one, other) => one.status - other.status || (one.name < other.name ? -1 : 1))
    .map(({ name, status, meaning }) => [code(name), String(status), meaning]);
  return `${HEAD}\n${table(['Code', 'Status', 'Meaning'], rows)}`;
}
