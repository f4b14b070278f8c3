import { DomainError, type ErrorExtras, type ErrorKind } from './domain-error.js';

interface ErrorDefinition {
  readonly kind: ErrorKind;
  /** When a caller meets it and what to do; printed in docs/errors.md. */
  readonly meaning: string;
}

type ErrorFactories<Codes extends string> = Readonly<Record<Codes, (detail: string, extras?: ErrorExtras) => DomainError>>;

/** Every error code of the service with its kind and meaning; docs/errors.md is checked against it. */
export const errorCatalogue = new Map<string, ErrorDefinition>();

/** Declares a module's error codes and returns one factory per code. Throws at load when a code is declared twice. */
export function defineErrors<Codes extends string>(definitions: Record<Codes, ErrorDefinition>): ErrorFactories<Codes> {
  const factories: Record<string, (detail: string, extras?: ErrorExtras) => DomainError> = {};
  for (const [code, definition] of Object.entries<ErrorDefinition>(definitions)) {
    if (errorCatalogue.has(code)) throw new Error(`The error code ${code} is declared twice.`);
    errorCatalogue.set(code, definition);
    factories[code] = (detail, extras) => new DomainError(definition.kind, code, detail, extras);
  }
  return factories as ErrorFactories<Codes>;
}
