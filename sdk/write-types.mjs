// Writes src/api.ts, the types of all operations, from openapi.json. They are not in the repository: each build makes them.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

/** Members that would become comments. Examples and the descriptions of responses are in the document; here they would be half the package. */
const withoutProse = (value, name = '') => {
  if (Array.isArray(value)) return value.map((one) => withoutProse(one));
  if (typeof value !== 'object' || value === null) return value;
  const isSchema = name === 'properties';
  const kept = Object.entries(value).filter(([key]) => isSchema || !['example', 'examples'].includes(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, withoutProse(one, key)]));
};

const withoutResponses = (document) => {
  for (const item of [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})]) {
    for (const { responses = {} } of Object.values(item)) for (const response of Object.values(responses)) delete response.description;
  }
  return document;
};

const folder = new URL('.', import.meta.url);
const document = withoutResponses(withoutProse(JSON.parse(readFileSync(new URL('../openapi.json', folder), 'utf8'))));
writeFileSync(new URL('src/api.ts', folder), astToString(await openapiTS(document)));
