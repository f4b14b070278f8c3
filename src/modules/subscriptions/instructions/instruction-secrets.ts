import { isDeepStrictEqual } from 'node:util';
import type { FieldProblem } from '../../../shared/errors.js';
import type { Instruction } from './instruction.js';
import { kindOf } from './instruction-kinds.js';
import { MASK, type ReplaceSecret } from './secret-values.js';

/** An instruction as responses show it: with masks in place of header values and of values that have the name of a secret. */
export const maskInstruction = (instruction: Instruction): Instruction => replaceSecrets(instruction, () => MASK);

export interface RestoredInstructions {
  readonly instructions: readonly Instruction[];
  readonly problems: readonly FieldProblem[];
}

/**
 * Restores stored secrets where a client sent the mask: at the same place of the same instruction, if its destination is the same. Elsewhere the mask
 * is a problem, because a client could have a secret that it does not know sent to itself. On one host each path may belong to another party, and a
 * parameter or member beside the secret may state where to forward it, so these must be the same too.
 */
export function restoreSecrets(wanted: readonly Instruction[], stored: readonly Instruction[]): RestoredInstructions {
  const problems: FieldProblem[] = [];
  const instructions = wanted.map((instruction, index) => {
    const before = stored[index];
    const known = before && destinationOf(before) === destinationOf(instruction) ? secretsOf(before) : new Map<string, unknown>();
    const sameContent = before !== undefined && isDeepStrictEqual(contentOf(before), contentOf(instruction));
    return replaceSecrets(instruction, (value, path) => {
      if (value === MASK && known.has(path) && (sameContent || !isContent(path))) return known.get(path);
      if (containsMask(value)) problems.push(unknownSecret(`instructions.${index}.${path}`));
      return value;
    });
  });
  return { instructions, problems };
}

const replaceSecrets = (instruction: Instruction, replace: ReplaceSecret): Instruction =>
  kindOf(instruction).replaceSecrets(instruction, replace);

function secretsOf(instruction: Instruction): ReadonlyMap<string, unknown> {
  const secrets = new Map<string, unknown>();
  replaceSecrets(instruction, (value, path) => {
    secrets.set(path, value);
    return value;
  });
  return secrets;
}

const destinationOf = (instruction: Instruction): string =>
  `${instruction.type} ${kindOf(instruction).destinationOf(maskInstruction(instruction))}`;

const contentOf = (instruction: Instruction): unknown => kindOf(instruction).contentOf(maskInstruction(instruction));

const isContent = (path: string): boolean => /^(payload|parameters)\./.test(path);

/** Whether a value is the mask or contains it. */
const containsMask = (value: unknown): boolean => JSON.stringify(value).includes(JSON.stringify(MASK));

const unknownSecret = (path: string): FieldProblem => ({
  path,
  code: 'secret_needed',
  message: `${MASK} keeps a stored secret only at its own place, in an instruction with the same destination, and in a payload only if nothing else of it changes; send the value itself`,
});
