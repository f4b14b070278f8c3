import { Injectable, type Provider } from '@nestjs/common';
import { ModuleRef } from '@nestjs/core';
import { ApiExtraModels, getSchemaPath } from '@nestjs/swagger';
import { isObject } from '../../../shared/validation/index.js';
import { INSTRUCTION_DESCRIPTORS } from './index.js';
import type { Instruction, InstructionKind, InstructionRunner, InstructionType, UrlCheck } from './instruction.js';
import {
  followedBy,
  limitedTo,
  listOf,
  MAX_INSTRUCTIONS_BYTES,
  mistyped,
  oneOf,
  problem,
  type Rule,
  ruleWith,
  shape,
} from './json-rules.js';

const MAX_INSTRUCTIONS = 20; // each may be attempted for a day; longer chains belong in a program

type InstructionKinds = { readonly [Of in InstructionType]: InstructionKind<Extract<Instruction, { readonly type: Of }>> };

/** Every kind of instruction by its type. */
export const INSTRUCTION_KINDS = Object.fromEntries(
  INSTRUCTION_DESCRIPTORS.map((kind) => [kind.type, kind]),
) as unknown as InstructionKinds;

export const INSTRUCTION_TYPES = Object.keys(INSTRUCTION_KINDS) as InstructionType[];

/** The kind of an instruction; callers must pass it only instructions of this type. */
export const kindOf = ({ type }: Pick<Instruction, 'type'>): InstructionKind<Instruction> =>
  INSTRUCTION_KINDS[type] as unknown as InstructionKind<Instruction>;

const DTOS = INSTRUCTION_TYPES.map((type) => kindOf({ type }).dto);

/** Names the schemas that instructionSchema refers to. */
export const ApiInstructions = () => ApiExtraModels(...DTOS);

/** The OpenAPI schema of an instruction of any kind; the alternatives are in the order of INSTRUCTION_TYPES. */
export const instructionSchema = () => ({ oneOf: DTOS.map((dto) => ({ $ref: getSchemaPath(dto) })) });

/** The providers that carry out instructions. */
export const INSTRUCTION_RUNNER_PROVIDERS: Provider[] = INSTRUCTION_TYPES.map((type) => kindOf({ type }).runner);

/** Finds the runner for each type of instruction. */
@Injectable()
export class InstructionRunnersService {
  constructor(private readonly modules: ModuleRef) {}

  runnerOf(type: InstructionType): InstructionRunner {
    return this.modules.get<InstructionRunner>(kindOf({ type }).runner);
  }
}

/**
 * Returns the lane of an instruction, which begins with the id of the customer and a space. Instructions of one customer with the same target share a lane and its limit of concurrent attempts, so that a
 * receiver that does not answer delays no others.
 */
export const laneOf = (customerId: number, instruction: Instruction): string =>
  `${customerId} ${kindOf(instruction).targetOf(instruction)}`;

/** The target of the instructions in a lane: the host of https instructions, the type of all others. */
export const targetOf = (lane: string): string => lane.slice(lane.indexOf(' ') + 1);

/** The type of the instructions in a lane. */
export const instructionTypeOf = (lane: string): InstructionType => INSTRUCTION_TYPES.find((type) => type === targetOf(lane)) ?? 'https';

/** Checks the instructions of a subscription: each by the rule of its kind, and that each result has a unique name. */
export function instructionsRule(checkUrl: UrlCheck): Rule {
  const rules = new Map<unknown, Rule>(INSTRUCTION_TYPES.map((type) => [type, kindOf({ type }).rule(checkUrl)]));
  const oneOfKinds = { oneOf: [...rules.values()].map(({ limits = {} }) => limits) };
  const unknownType = shape({ required: { type: oneOf(INSTRUCTION_TYPES) } });
  const instruction = ruleWith(oneOfKinds, (value, path) => {
    if (!isObject(value)) return mistyped(path, 'object');
    return (rules.get(value.type) ?? unknownType)(value, path);
  });
  return limitedTo(MAX_INSTRUCTIONS_BYTES, followedBy(listOf(instruction, { max: MAX_INSTRUCTIONS }), findRepeatedNames));
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
