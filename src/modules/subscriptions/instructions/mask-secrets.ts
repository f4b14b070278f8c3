import { isSecret } from '../../../shared/logging/index.js';
import type { Instruction } from '../instructions/instruction.js';
import { isObject } from './is-object.js';

/** What stands in answers where a secret is. */
export const MASK = '********';

/** Parameters of URLs that open something, beside those whose names say so anywhere. */
const OPENING = new Set(['key', 'sig', 'signature', 'auth', 'pass']);

type Replace = (secret: unknown, path: string) => unknown;

/** An instruction as its customer sees it again: with no value of a header, and no secret by name in URLs, payloads and parameters. */
export const maskInstruction = (instruction: Instruction): Instruction => mapSecrets(instruction, () => MASK);

/** The same for what was sent. */
export const maskPayload = (payload: unknown): unknown => mapMembers(payload, '', () => MASK);

/** The instruction with each secret of it replaced; `path` says in which member it stands, in dots. */
export function mapSecrets(instruction: Instruction, replace: Replace): Instruction {
  switch (instruction.type) {
    case 'api':
      return {
        ...instruction,
        path: mapQuery(instruction.path, 'path', replace),
        ...(instruction.payload && { payload: mapMembers(instruction.payload, 'payload', replace) as typeof instruction.payload }),
        ...(instruction.expected && {
          expected: instruction.expected.map((one, index) => mapExpectation(one, `expected.${index}`, replace)),
        }),
      };
    case 'email':
      return {
        ...instruction,
        ...(instruction.parameters && {
          parameters: mapMembers(instruction.parameters, 'parameters', replace) as typeof instruction.parameters,
        }),
      };
    case 'https':
      return {
        ...instruction,
        url: mapQuery(instruction.url, 'url', replace),
        ...(instruction.headers && { headers: mapHeaders(instruction.headers, replace) }),
        ...('payload' in instruction && { payload: mapMembers(instruction.payload, 'payload', replace) }),
      };
  }
}

function mapHeaders(headers: Readonly<Record<string, string>>, replace: Replace): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(replace(value, `headers.${name}`))]));
}

/** At any depth; what stands under a secret's name is replaced whole, null excepted. */
function mapMembers(value: unknown, path: string, replace: Replace): unknown {
  const inner = (name: string | number) => (path === '' ? String(name) : `${path}.${name}`);
  if (Array.isArray(value)) return value.map((element: unknown, index) => mapMembers(element, inner(index), replace));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const hidden = isSecret(name) && member !== null;
      return [name, hidden ? replace(member, inner(name)) : mapMembers(member, inner(name), replace)];
    }),
  );
}

function mapExpectation<Of extends { readonly path: string; readonly value: unknown }>(expectation: Of, at: string, replace: Replace): Of {
  const hidden = expectation.path.split('.').some(isSecret);
  return {
    ...expectation,
    value: hidden ? replace(expectation.value, `${at}.value`) : mapMembers(expectation.value, `${at}.value`, replace),
  };
}

/** Text by text, because writing a parsed query anew would encode its placeholders. */
function mapQuery(url: string, at: string, replace: Replace): string {
  const [, before = '', query, after = ''] = /^([^?#]*)\?([^#]*)(#.*)?$/s.exec(url) ?? [];
  if (query === undefined) return url;
  const count = new Map<string, number>();
  const parts = query.split('&').map((part) => {
    const [name = '', ...rest] = part.split('=');
    const nth = count.get(name) ?? 0;
    count.set(name, nth + 1);
    return rest.length > 0 && opens(name) ? `${name}=${replace(rest.join('='), `${at}.${name}.${nth}`)}` : part;
  });
  return `${before}?${parts.join('&')}${after}`;
}

function opens(encodedName: string): boolean {
  const name = decode(encodedName);
  return isSecret(name) || OPENING.has(name.toLowerCase());
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return text;
  }
}
