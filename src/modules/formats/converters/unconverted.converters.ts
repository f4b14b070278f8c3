import type { ConverterDescriptor } from './converter.js';

const UNCONVERTED = { parameters: new Map(), filetypes: null, source: 'any', result: 'any', programs: () => [] } as const;

/** The upload itself, as it is. */
export const originalConverter = {
  ...UNCONVERTED,
  name: 'original',
  build: () => ({ kind: 'original' }),
} as const satisfies ConverterDescriptor;

/** A copy of the original. */
export const copyConverter = {
  ...UNCONVERTED,
  name: 'copy',
  build: () => ({ kind: 'copy' }),
} as const satisfies ConverterDescriptor;
