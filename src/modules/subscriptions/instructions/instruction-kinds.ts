import { Injectable, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { INSTRUCTION_DESCRIPTORS } from './index.js';
import type { Instruction, InstructionKind, InstructionRunner, InstructionType, UrlCheck } from './instruction.js';
import { isObject, limitedTo, listOf, mistyped, oneOf, problem, type Rule, shape } from './json-rules.js';

const MAX_INSTRUCTIONS = 20; // each is attempted for a day; a longer chain belongs in a program
const MAX_BYTES = 65_536; // they are decrypted for each run

type InstructionKinds = { readonly [Of in InstructionType]: InstructionKind<Extract<Instruction, { readonly type: Of }>> };

/** Every kind of instruction by its type. */
export const INSTRUCTION_KINDS = Object.fromEntries(
  INSTRUCTION_DESCRIPTORS.map((kind) => [kind.type, kind]),
) as unknown as InstructionKinds;

export const INSTRUCTION_TYPES = Object.keys(INSTRUCTION_KINDS) as InstructionType[];

/** The kind of an instruction; the caller has to pass nothing but instructions of this type to it. */
export const kindOf = ({ type }: Pick<Instruction, 'type'>): InstructionKind<Instruction> =>
  INSTRUCTION_KINDS[type] as unknown as InstructionKind<Instruction>;

const DTOS = INSTRUCTION_TYPES.map((type) => kindOf({ type }).dto);

/** Names the schemas that instructionSchema refers to. */
export const ApiInstructions = () => ApiExtraModels(...DTOS);

export const instructionSchema = () => ({ oneOf: DTOS.map((dto) => ({ $ref: getSchemaPath(dto) })) });

/** The providers that carry out instructions. */
export const INSTRUCTION_RUNNER_PROVIDERS: Provider[] = INSTRUCTION_TYPES.map((type) => kindOf({ type }).runner);

/** Finds what carries out instructions of each type. */
@Injectable()
export class InstructionRunnersService {
  constructor(private readonly modules: ModuleRef) {}

  runnerOf(type: InstructionType): InstructionRunner {
    return this.modules.get<InstructionRunner>(kindOf({ type }).runner);
  }
}

/**
 * Instructions of one customer with the same target share a lane and its limit of attempts under way, so that a receiver that does not answer
 * delays no other.
 */
export const laneOf = (customerId: number, instruction: Instruction): string =>
  `${customerId} ${kindOf(instruction).targetOf(instruction)}`;

/** The target of the instructions in a lane: the host of https instructions, the type of all others. */
export const targetOf = (lane: string): string => lane.slice(lane.indexOf(' ') + 1);

/** The type of the instructions in a lane. */
export const instructionTypeOf = (lane: string): InstructionType => INSTRUCTION_TYPES.find((type) => type === targetOf(lane)) ?? 'https';

/** The instructions of a subscription: each by the rule of its kind, and each result under a name of its own. */
export function instructionsRule(checkUrl: UrlCheck): Rule {
  const rules = new Map<unknown, Rule>(INSTRUCTION_TYPES.map((type) => [type, kindOf({ type }).rule(checkUrl)]));
  const unknownType = shape({ required: { type: oneOf(INSTRUCTION_TYPES) } });
  const instruction: Rule = (value, path) => {
    if (!isObject(value)) return mistyped(path, 'object');
    return (rules.get(value.type) ?? unknownType)(value, path);
  };
  const list = listOf(instruction, { max: MAX_INSTRUCTIONS });
  return limitedTo(MAX_BYTES, (value, path) => [...list(value, path), ...findRepeatedNames(value, path)]);
}

/** A second result with the same name would hide the first. */
function findRepeatedNames(value: unknown, path: string) {
  const names = Array.isArray(value) ? value.map((one: unknown) => (isObject(one) ? one.as : undefined)) : [];
  return names.flatMap((name, index) =>
    typeof name === 'string' && names.indexOf(name) < index
      ? problem(`${path}.${index}.as`, 'name_taken', 'is the name of another result; choose a different one')
      : [],
  );
}
