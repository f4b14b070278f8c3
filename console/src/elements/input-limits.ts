import { limits } from '@media-delivery/sdk';

/** An input of the API that has limits: the schema of a body, or method and path. */
export type Input = keyof typeof limits;

type Limits = Readonly<Record<string, { readonly [limit in 'maxLength' | 'maxItems' | 'minItems' | 'minimum' | 'maximum']?: number }>>;

/** The longest text of a field, as a property of its input; no property if the API states none. */
export function lengthOf(input: Input, field: string): { readonly maxLength?: number } {
  const fields: Limits = limits[input];
  const maxLength = fields[field]?.maxLength;
  return maxLength === undefined ? {} : { maxLength };
}

/** For `useForm`: what `getInputProps` returns for a field includes its longest text. */
export const withLengths = (input: Input) => ({
  enhanceGetInputProps: ({ field }: { readonly field: unknown }) => lengthOf(input, String(field)),
});
