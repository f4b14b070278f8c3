import type { FieldProblem } from '../../../shared/errors/index.js';
import { parseUrl } from '../../../shared/validation/index.js';
import type { Instruction } from '../instructions/instruction.js';
import { MASK, mapSecrets } from './mask-secrets.js';

export interface RestoredInstructions {
  readonly instructions: readonly Instruction[];
  readonly problems: readonly FieldProblem[];
}

/**
 * Puts stored secrets back where the mask stands, as it was answered: at the same place of the same instruction, which goes where it went.
 * Anywhere else it is a problem: with the mask, a stored secret could be sent to somebody who was never told it.
 */
export function restoreSecrets(wanted: readonly Instruction[], stored: readonly Instruction[]): RestoredInstructions {
  const problems: FieldProblem[] = [];
  const instructions = wanted.map((instruction, index) => {
    const before = stored[index];
    const known = before && placeOf(before) === placeOf(instruction) ? secretsOf(before) : new Map<string, unknown>();
    return mapSecrets(instruction, (value, path) => {
      if (value === MASK && known.has(path)) return known.get(path);
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

/** Where an instruction sends what is in it. */
function placeOf(instruction: Instruction): string {
  switch (instruction.type) {
    case 'api':
      return `api ${instruction.method} ${instruction.path.split('?', 1)[0]}`;
    case 'email':
      return `email ${JSON.stringify(instruction.to.map(({ recipient }) => recipient))}`;
    case 'https':
      return `https ${parseUrl(instruction.url)?.origin}`;
  }
}

/** It is the mask, or the mask stands in it. */
const holdsMask = (value: unknown): boolean => JSON.stringify(value).includes(JSON.stringify(MASK));

const unknownSecret = (path: string): FieldProblem => ({
  path,
  code: 'secret_needed',
  message: `${MASK} keeps a secret only where it is, in an instruction that goes where it went; send the value itself`,
});
