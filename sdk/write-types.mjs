// Writes src/api.ts, the types of all operations, from openapi.json. They are not in the repository: each build generates them.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

/** Members that become comments. To keep the package small, only the summaries of operations are included; the document has the others. */
const PROSE = new Set(['example', 'examples', 'description', 'format']);

const withoutProse = (value, name = '') => {
  if (Array.isArray(value)) return value.map((one) => withoutProse(one));
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key]) => name === 'properties' || !PROSE.has(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutProse(one, key)]));
};

/** Without error responses, because calls throw them as ProblemError. */
const withoutRefusals = (document) => {
  for (const item of [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})]) {
    for (const operation of Object.values(item).filter(({ responses }) => responses)) {
      const kept = Object.entries(operation.responses).filter(([status]) => !/^[45]/.test(status));
      operation.responses = Object.fromEntries(kept);
    }
  }
  return document;
};

const folder = new URL('.', import.meta.url);
const document = withoutRefusals(withoutProse(JSON.parse(readFileSync(new URL('../openapi.json', folder), 'utf8'))));
writeFileSync(new URL('src/api.ts', folder), astToString(await openapiTS(document)));
