import { ValidateBy } from 'class-validator';
import type { FieldProblem } from '../errors/index.js';

/** What one JSON document of a resource may have (contract section 12.10); it is read with every list of the resource. */
export const MAX_DOCUMENT_BYTES = 262_144;

/** Bytes as JSON. The list of addresses has a limit of its own, and is not counted. */
export const bytesOfDocument = (document: unknown): number =>
  Buffer.byteLength(JSON.stringify(document, (name, value: unknown) => (name === 'ipWhiteList' ? undefined : value)) ?? '');

export const tooLarge = (path: string, maxBytes: number, bytes: number): FieldProblem => ({
  path,
  code: 'too_large',
  message: `must have ${maxBytes} bytes of JSON or less, and has ${bytes}`,
});

/** A member that is a JSON document, as it was sent: unknown members count too. */
export const BoundedDocument = (): PropertyDecorator =>
  ValidateBy({
    name: 'tooLarge',
    validator: {
      validate: (document: unknown) => bytesOfDocument(document) <= MAX_DOCUMENT_BYTES,
      defaultMessage: () => `$property must have ${MAX_DOCUMENT_BYTES} bytes of JSON or less`,
    },
  });

/** Documents that a change has made too large by adding to what was there; one that the change does not name stays as it is. */
export const findTooLarge = (stored: Readonly<Record<string, unknown>>, changes: object): FieldProblem[] =>
  Object.entries(stored).flatMap(([name, document]) => {
    const bytes = name in changes ? bytesOfDocument(document) : 0;
    return bytes > MAX_DOCUMENT_BYTES ? [tooLarge(name, MAX_DOCUMENT_BYTES, bytes)] : [];
  });
