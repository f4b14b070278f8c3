import { accessKeysSection } from './access-keys-section.js';
import { clientsSection } from './clients-section.js';
import { customersSection } from './customers-section.js';
import { dropsitesSection } from './dropsites-section.js';
import { identityProvidersSection } from './identity-providers-section.js';
import type { Section } from './section.js';
import { usersSection } from './users-section.js';

/** The sections of a provisioning file, in the order in which they come true: each may refer to those before it. */
export const sections: Readonly<Record<string, Section<object>>> = {
  customers: customersSection,
  users: usersSection,
  clients: clientsSection,
  accessKeys: accessKeysSection,
  identityProviders: identityProvidersSection,
  dropsites: dropsitesSection,
};
