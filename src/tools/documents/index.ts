import { renderConfigurationPage } from './configuration-page.js';
import { renderEnvExample } from './env-example.js';
import { renderErrorsPage } from './errors-page.js';

/** The documents that are written from the code; a test refuses a stale one. */
export const documents: Readonly<Record<string, () => string>> = {
  '.env.example': renderEnvExample,
  'docs/configuration.md': renderConfigurationPage,
  'docs/errors.md': renderErrorsPage,
};
