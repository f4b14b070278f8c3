import { environmentName, settings } from '../../shared/config/index.js';

/** A setting as its documents show it. */
export interface NamedSetting {
  /** Of the environment variable. */
  readonly name: string;
  readonly description: string;
  /** Empty where there is none. */
  readonly fallback: string;
  readonly values: string;
  readonly secret: boolean;
}

interface Described {
  readonly description: string;
  readonly values?: string;
  readonly fallback: unknown;
  readonly secret?: boolean;
}

/** All settings in their order. */
export const namedSettings = (): readonly NamedSetting[] =>
  Object.entries<Described>(settings).map(([key, { description, values = '', fallback, secret = false }]) => ({
    name: environmentName(key),
    description,
    fallback: String(fallback ?? ''), // a list becomes a,b
    values,
    secret,
  }));
