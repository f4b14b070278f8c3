// Writes src/api.ts, the types of all operations, from openapi.json. They are not in the repository: each build makes them.
import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';

const isText = (key, value) => key === 'description' && typeof value === 'string';
const firstSentence = (text) => /^[\s\S]*?[.:](?=\s|$)/.exec(text)?.[0] ?? text;

/** Comments of one sentence. Examples and further sentences are in the document; here they would be half the package. */
const withoutProse = (value, name = '') => {
  if (Array.isArray(value)) return value.map((one) => withoutProse(one));
  if (typeof value !== 'object' || value === null) return value;
  const isSchema = name === 'properties';
  const kept = Object.entries(value).filter(([key]) => isSchema || !['example', 'examples'].includes(key));
  return Object.fromEntries(kept.map(([key, one]) => [key, isText(key, one) ? firstSentence(one) : withoutProse(one, key)]));
};

/** Without what refusals look like, because calls throw them as ProblemError, and without the descriptions of the other responses. */
const withoutRefusals = (document) => {
  for (const item of [...Object.values(document.paths), ...Object.values(document.webhooks ?? {})]) {
    for (const operation of Object.values(item).filter(({ responses }) => responses)) {
      const kept = Object.entries(operation.responses).filter(([status]) => !/^[45]/.test(status));
      operation.responses = Object.fromEntries(kept.map(([status, { description: _, ...response }]) => [status, response]));
    }
  }
  return document;
};

const folder = new URL('.', import.meta.url);
const document = withoutRefusals(withoutProse(JSON.parse(readFileSync(new URL('../openapi.json', folder), 'utf8'))));
writeFileSync(new URL('src/api.ts', folder), astToString(await openapiTS(document)));
