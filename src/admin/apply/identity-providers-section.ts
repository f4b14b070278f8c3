import { AccountsService } from '../../modules/accounts/index.js';
import { IdentityProvidersService, type IdpMetadata, normalizeCertificate, readMetadata } from '../../modules/saml/index.js';
import { Clock } from '../../shared/time/index.js';
import type { Draft } from './draft.js';
import { IdentityProviderEntry } from './identity-provider-entry.js';
import type { Problem } from './problem.js';
import type { Section, Workbench } from './section.js';

type EntryDraft = Draft<IdentityProviderEntry>;

const SINGLE_FIELDS = ['issuer', 'ssoUrl', 'certificates'] as const;

export const identityProvidersSection: Section<IdentityProviderEntry> = {
  entry: IdentityProviderEntry,
  key: 'ssoIdentifier',
  normalize: (ssoIdentifier) => ssoIdentifier,
  findProblems: async (draft, bench) => [...(await findCustomerProblems(draft, bench)), ...findSourceProblems(draft, bench)],
  declare: declareIdentityProvider,
};

async function findCustomerProblems({ path, fields: { customer, ssoIdentifier } }: EntryDraft, bench: Workbench): Promise<Problem[]> {
  if (customer === undefined) return [];
  const stored = await bench.service.get(AccountsService).findCustomer(customer);
  if (!stored && !bench.declares('customers', customer)) {
    return [{ path: `${path}.customer`, message: `"${customer}" does not exist; declare it under customers` }];
  }
  const existing = ssoIdentifier === undefined ? null : await bench.service.get(IdentityProvidersService).find(ssoIdentifier);
  if (!existing || existing.customerId === stored?.id) return [];
  return [{ path: `${path}.customer`, message: `is not the customer to whom ${ssoIdentifier} belongs; identity providers do not move` }];
}

/** Two sources could contradict each other, so there is one. */
function findSourceProblems({ path, fields, unsound }: EntryDraft, bench: Workbench): Problem[] {
  const given = SINGLE_FIELDS.filter((name) => fields[name] !== undefined || unsound.has(name));
  if (unsound.has('metadata')) return [];
  if (fields.metadata === undefined) {
    const missing = SINGLE_FIELDS.filter((name) => !given.includes(name));
    const empty = fields.certificates?.length === 0 ? [{ path: `${path}.certificates`, message: 'must have at least one item' }] : [];
    return [...missing.map((name) => ({ path: `${path}.${name}`, message: 'is required without metadata' })), ...empty];
  }
  const read = readMetadata(fields.metadata, bench.service.get(Clock).now());
  const problems = 'problems' in read ? read.problems : [];
  return [
    ...given.map((name) => ({ path: `${path}.${name}`, message: 'stands in metadata already; give one of them' })),
    ...problems.map((message) => ({ path: `${path}.metadata`, message })),
  ];
}

async function declareIdentityProvider(entry: IdentityProviderEntry, { service, trail }: Workbench): Promise<object> {
  const { metadata: _metadata, customer: name, issuer: _issuer, ssoUrl: _ssoUrl, certificates: _certificates, ...settings } = entry;
  const customer = await service.get(AccountsService).findCustomer(name);
  if (!customer) throw new Error('The customer was found or made before.');
  const providers = service.get(IdentityProvidersService);
  const before = await providers.find(entry.ssoIdentifier);
  const after = await providers.declare({ ...settings, ...sourceOf(entry, service.get(Clock).now()), customerId: customer.id });
  await trail.recordDeclaration(`identity_provider:${entry.ssoIdentifier}`, before, after);
  return { id: after.id, ssoIdentifier: after.ssoIdentifier };
}

/** `findSourceProblems` has seen that one of the two is complete. */
function sourceOf({ metadata, issuer = '', ssoUrl = '', certificates = [] }: IdentityProviderEntry, now: Date): IdpMetadata {
  const read = metadata === undefined ? null : readMetadata(metadata, now);
  if (read && 'metadata' in read) return read.metadata;
  return { issuer, ssoUrl, certificates: certificates.map(normalizeCertificate) };
}
