import type { Instruction } from '../instructions/instruction.js';
import { normalizeBody } from './rules/check-body.js';
import type { WantedSubscription } from './wanted-subscription.js';

/** What is kept of each instruction. */
const MEMBERS = {
  api: ['type', 'method', 'path', 'payload', 'expected', 'as'],
  email: ['type', 'to', 'template', 'parameters', 'subject', 'text'],
  https: ['type', 'url', 'method', 'headers', 'payload'],
} as const satisfies { readonly [Of in Instruction as Of['type']]: readonly (keyof Of)[] };

/**
 * What the client sent, once it is known to be valid: null counts as absent, unknown members are dropped, a path begins with `v5/`, methods
 * are in upper case, notes are text.
 */
export function toWantedSubscription(input: unknown): WantedSubscription {
  const { name, flag, conditions, instructions, notes } = input as Partial<WantedSubscription>;
  const given = { name, flag, conditions: pick(conditions ?? {}, ['methods', 'payload']), notes: notes ?? '' };
  return { ...given, instructions: (instructions ?? []).map(toInstruction) } as WantedSubscription;
}

function toInstruction(sent: Instruction): Instruction {
  switch (sent.type) {
    case 'api': {
      const { expected } = sent;
      const expectations = expected && { expected: expected.map(({ path, value }) => ({ path, value })) }; // null is a value here
      return { ...pick(normalizeBody(sent), MEMBERS.api), path: sent.path.replace(/^\//, ''), ...expectations };
    }
    case 'email':
      return { ...pick(sent, MEMBERS.email), to: sent.to.map((one) => pick(one, ['recipient', 'language'])) };
    case 'https':
      return pick(normalizeBody(sent), MEMBERS.https);
  }
}

/** The members of these names that are there, in the order in which they were sent. */
function pick<Of extends object>(value: Of, names: readonly (keyof Of & string)[]): Of {
  const wanted: readonly string[] = names;
  return Object.fromEntries(
    Object.entries(value).filter(([name, member]) => wanted.includes(name) && member !== null && member !== undefined),
  ) as Of;
}
