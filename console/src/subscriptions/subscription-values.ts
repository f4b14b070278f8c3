import { type EventName, exampleOf } from './events';
import type { Subscription, SubscriptionFields } from './queries';

export type Instruction = SubscriptionFields['instructions'][number];

/** An instruction in the form; empty fields are not set. What the form does not show is in `rest`. */
export interface InstructionValues {
  readonly type: Instruction['type'];
  readonly url: string;
  readonly method: string;
  /** A header a line: `x-api-key: …`. */
  readonly headers: string;
  readonly path: string;
  readonly to: string[];
  readonly template: string;
  readonly subject: string;
  readonly text: string;
  /** JSON. */
  readonly payload: string;
  readonly rest: Readonly<Record<string, unknown>>;
}

export interface SubscriptionValues extends Record<string, unknown> {
  readonly name: EventName;
  readonly isOnce: boolean;
  readonly notes: string;
  /** What members of the payload have to be, by their names: text for texts, JSON for others. */
  readonly conditions: Record<string, string>;
  readonly instructions: InstructionValues[];
}

const EMPTY: Omit<InstructionValues, 'type'> = {
  ...{ url: '', method: '', headers: '', path: '', to: [], template: '', subject: '', text: '', payload: '', rest: {} },
};

export const newInstruction = (type: Instruction['type']): InstructionValues => ({ ...EMPTY, type, method: type === 'api' ? 'PUT' : '' });

/** The form of a subscription, or of a new one that calls a receiver. */
export function toValues(subscription: Subscription | null): SubscriptionValues {
  const name = (subscription?.name ?? 'event:s3success') as EventName;
  const conditions = Object.entries(subscription?.conditions?.payload ?? {}).map(([key, value]) => [key, show(value)]);
  return {
    ...{ name, isOnce: subscription?.flag === 2, notes: subscription?.notes ?? '', conditions: Object.fromEntries(conditions) },
    instructions: subscription ? subscription.instructions.map(toInstructionValues) : [newInstruction('https')],
  };
}

/** Texts as they are, unless they could be read as another value. */
const show = (value: unknown): string => (typeof value === 'string' && typeof read(value) === 'string' ? value : JSON.stringify(value));

function toInstructionValues(instruction: Instruction): InstructionValues {
  const { type, ...all } = instruction;
  const { url, method, headers, path, to, template, subject, text, payload, ...rest } = all as Readonly<Record<string, unknown>>;
  const recipients = (to as readonly { recipient: string; language?: string }[] | undefined) ?? [];
  const lines = Object.entries((headers as Record<string, string> | undefined) ?? {}).map(([key, value]) => `${key}: ${value}`);
  const texts = Object.fromEntries(
    Object.entries({ url, method, path, template, subject, text }).map(([key, value]) => [key, value ?? '']),
  );
  return {
    ...EMPTY,
    ...(texts as Partial<InstructionValues>),
    ...{ type, headers: lines.join('\n'), payload: payload === undefined ? '' : JSON.stringify(payload, null, 2), rest },
    to: recipients.map(({ recipient, language }) => (language ? `${recipient} (${language})` : recipient)),
  };
}

/** What is sent to create or replace a subscription. `before`: whose methods are kept. */
export function toFields(values: SubscriptionValues, before: Subscription | null): SubscriptionFields {
  const set = Object.entries(values.conditions).filter(([, value]) => value.trim() !== '');
  const payload = Object.fromEntries(set.map(([key, value]) => [key, readCondition(values.name, key, value)]));
  const conditions = { ...before?.conditions, payload: set.length > 0 ? payload : undefined };
  return {
    ...{ name: values.name, flag: values.isOnce ? 2 : 0, notes: values.notes },
    conditions: Object.values(conditions).some((value) => value !== undefined) ? conditions : null,
    instructions: values.instructions.map(toInstruction),
  };
}

/** A value that a condition names: a text where the member is a text, else JSON. */
function readCondition(event: EventName, key: string, value: string): unknown {
  return typeof exampleOf(event).payload[key] === 'string' && typeof read(value) !== 'object' ? readText(value) : read(value);
}

const readText = (value: string): unknown => (value.startsWith('"') ? read(value) : value);

/** JSON, or the text itself where it is no JSON. */
export function read(value: string): unknown {
  try {
    return JSON.parse(value);
  } catch {
    return value;
  }
}

export const isJson = (value: string): boolean => value.trim() === '' || typeof read(value) !== 'string' || value.trim().startsWith('"');

const RECIPIENT = /^(.*?)(?: \(([A-Za-z-]+)\))?$/;

function toInstruction(values: InstructionValues): Instruction {
  const { type, url, method, path, template, subject, text, rest } = values;
  const payload = values.payload.trim() === '' ? {} : { payload: read(values.payload) };
  const isSet = (field: readonly [string, string]) => field[1] !== '';
  const texts = (fields: Readonly<Record<string, string>>) => Object.fromEntries(Object.entries(fields).filter(isSet));
  const byType = {
    https: () => {
      const headers = values.headers.split('\n').flatMap((line) => {
        const at = line.indexOf(':');
        return at > 0 ? [[line.slice(0, at).trim(), line.slice(at + 1).trim()]] : [];
      });
      return { url, ...texts({ method }), ...(headers.length > 0 && { headers: Object.fromEntries(headers) }), ...payload };
    },
    email: () => {
      const to = values.to.map((one) => {
        const [, recipient = one, language] = RECIPIENT.exec(one) ?? [];
        return { recipient, ...(language && { language }) };
      });
      return { to, ...(template === '' ? texts({ subject, text }) : { template }) };
    },
    api: () => ({ method, path, ...payload }),
  };
  return { ...rest, ...byType[type](), type } as Instruction;
}

/** The field of the form that a path of the input belongs to. */
export const fieldOf = (path: string): string =>
  path
    .replace(/^conditions\.payload\.([^.]+).*/, 'conditions.$1')
    .replace(/^flag$/, 'isOnce')
    .replace(/^(instructions\.\d+\.(?:to|headers|payload))\..*/, '$1');

/** A header that is shown masked, as the service returns it. */
const MASKED = /^[^:]*: \*+$/;

/** The values without what may be secret: values of headers that were typed. */
export const withoutSecrets = (values: SubscriptionValues): SubscriptionValues => ({
  ...values,
  instructions: values.instructions.map((instruction) => ({
    ...instruction,
    headers: instruction.headers.replace(/^.*$/gm, (line) => (MASKED.test(line) ? line : line.replace(/:.*/, ': '))),
  })),
});
