import { INSTRUCTION_TYPES, type InstructionType } from '../../instructions/instruction.js';
import { isObject } from '../../instructions/is-object.js';
import { among } from './among.js';
import { apiInstructionRule } from './api-instruction-rule.js';
import { emailInstructionRule } from './email-instruction-rule.js';
import { httpsInstructionRule, type UrlCheck } from './https-instruction-rule.js';
import { listOf } from './list-of.js';
import { ofSize } from './of-size.js';
import { mistyped, problem, type Rule } from './rule.js';
import { shape } from './shape.js';

const MAX_INSTRUCTIONS = 20; // each is tried for a day; a longer chain belongs into a program
const MAX_BYTES = 65_536; // they are decrypted for each run

const ofUnknownType = shape({ required: { type: among(INSTRUCTION_TYPES) } });

/** The instructions of a subscription: each by the rules of its type, and no two results under one name. */
export function instructionsRule(checkUrl: UrlCheck): Rule {
  const byType: Readonly<Record<InstructionType, Rule>> = {
    api: apiInstructionRule,
    email: emailInstructionRule,
    https: httpsInstructionRule(checkUrl),
  };
  const instruction: Rule = (value, path) => {
    if (!isObject(value)) return mistyped(path, 'object');
    const type = INSTRUCTION_TYPES.find((name) => name === value.type);
    return type ? byType[type](value, path) : ofUnknownType(value, path);
  };
  const list = listOf(instruction, { max: MAX_INSTRUCTIONS });
  return ofSize(MAX_BYTES, (value, path) => [...list(value, path), ...findSameNames(value, path)]);
}

/** The second result of a name would hide the first. */
function findSameNames(value: unknown, path: string) {
  const names = Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? one.as : undefined)) : [];
  return names.flatMap((name, index) =>
    typeof name === 'string' && names.indexOf(name) < index
      ? problem(`${path}.${index}.as`, 'name_taken', `is the name of another result; call it differently`)
      : [],
  );
}
