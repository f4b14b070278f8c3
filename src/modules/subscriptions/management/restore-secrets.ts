import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../../shared/errors/index.js';
import { parseUrl } from '../../../shared/validation/index.js';
import type { Instruction } from '../instructions/instruction.js';
import { MASK, mapSecrets, maskInstruction } from '../instructions/mask-secrets.js';

export interface RestoredInstructions {
  readonly instructions: readonly Instruction[];
  readonly problems: readonly FieldProblem[];
}

/**
 * Puts stored secrets back where the mask stands, as it was answered: at the same place of the same instruction, which goes where it went.
 * Anywhere else it is a problem: with the mask, a stored secret could be sent to somebody who was never told it. On one host each path may be
 * somebody else's, and a parameter or a member beside the secret may say where it is passed on to; so these have to be the same too.
 */
export function restoreSecrets(wanted: readonly Instruction[], stored: readonly Instruction[]): RestoredInstructions {
  const problems: FieldProblem[] = [];
  const instructions = wanted.map((instruction, index) => {
    const before = stored[index];
    const known = before && placeOf(before) === placeOf(instruction) ? secretsOf(before) : new Map<string, unknown>();
    const sameContent = before !== undefined && isDeepStrictEqual(contentOf(before), contentOf(instruction));
    return mapSecrets(instruction, (value, path) => {
      if (value === MASK && known.has(path) && (sameContent || !isContent(path))) return known.get(path);
      if (holdsMask(value)) problems.push(unknownSecret(`instructions.${index}.${path}`));
      return value;
    });
  });
  return { instructions, problems };
}

function secretsOf(instruction: Instruction): ReadonlyMap<string, unknown> {
  const secrets = new Map<string, unknown>();
  mapSecrets(instruction, (value, path) => {
    secrets.set(path, value);
    return value;
  });
  return secrets;
}

/** Where an instruction sends what is in it, without its secrets. */
function placeOf(given: Instruction): string {
  const instruction = maskInstruction(given);
  switch (instruction.type) {
    case 'api':
      return `api ${instruction.method} ${instruction.path}`;
    case 'email':
      return `email ${JSON.stringify(instruction.to.map(({ recipient }) => recipient))}`;
    case 'https':
      return `https ${instruction.method ?? 'POST'} ${parseUrl(instruction.url)?.href}`;
  }
}

/** What an instruction sends as its payload, without its secrets. */
function contentOf(given: Instruction): unknown {
  const instruction = maskInstruction(given);
  return instruction.type === 'email' ? instruction.parameters : instruction.payload;
}

const isContent = (path: string): boolean => /^(payload|parameters)\./.test(path);

/** It is the mask, or the mask stands in it. */
const holdsMask = (value: unknown): boolean => JSON.stringify(value).includes(JSON.stringify(MASK));

const unknownSecret = (path: string): FieldProblem => ({
  path,
  code: 'secret_needed',
  message: `${MASK} keeps a secret only where it is, in an instruction that goes where it went, and in a payload only if nothing else of it changes; send the value itself`,
});
