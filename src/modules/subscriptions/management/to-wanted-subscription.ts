import type { Instruction } from '../instructions/instruction.js';
import type { WantedSubscription } from './wanted-subscription.js';

/** What somebody sent, after its rules were found to hold: null counts as absent, a path begins with `v5/`, notes are a text. */
export function toWantedSubscription(input: unknown): WantedSubscription {
  const { name, flag, conditions, instructions, notes } = input as Partial<WantedSubscription>;
  const given = { name, flag, conditions: withoutNulls(conditions ?? {}), notes: notes ?? '' };
  return { ...given, instructions: (instructions ?? []).map(toInstruction) } as WantedSubscription;
}

function toInstruction(sent: Instruction): Instruction {
  const instruction = withoutNulls(sent);
  if (instruction.type === 'api') return { ...instruction, path: instruction.path.replace(/^\//, '') };
  return instruction.type === 'email' ? { ...instruction, to: instruction.to.map(withoutNulls) } : instruction;
}

const withoutNulls = <Of extends object>(value: Of): Of =>
  Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null && member !== undefined)) as Of;
