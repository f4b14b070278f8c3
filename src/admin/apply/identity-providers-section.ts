import { IsBoolean, IsString, Matches, MaxLength, ValidateBy } from 'class-validator';
import { AccountsService } from '../../modules/accounts/index.js';
import {
  type AttributeMapping,
  findCertificateProblem,
  IdentityProvidersService,
  type IdpMetadata,
  normalizeCertificate,
  readMetadata,
} from '../../modules/saml/index.js';
import { Clock } from '../../shared/clock.js';
import { UnlessAbsent } from '../../shared/validation/index.js';
import { type Draft, IsLine, IsName, Items, isMapping, ownership, type Problem, type Section, type Workbench } from './section.js';

/** Part of URLs that identity providers store, so it contains only characters that have a single spelling in a URL. */
const SSO_IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const MAPPED = ['email', 'firstname', 'lastname'];

/** An entry of `identityProviders`: `metadata`, or `issuer`, `ssoUrl` and `certificates`. */
class IdentityProviderEntry {
  @Matches(SSO_IDENTIFIER, {
    message: 'must be 1 to 64 letters, digits, dots, hyphens or underscores, and begin with a letter or digit',
  })
  @IsString({ message: 'must be a string (in YAML, put a number into quotes)' })
  ssoIdentifier: string;

  /** The name of the customer whose users sign in there. */
  @IsName()
  customer: string;

  /** The XML of the identity provider's metadata. */
  @UnlessAbsent()
  @MaxLength(1_048_576, { message: 'must have at most 1048576 characters' })
  @IsString({ message: 'must be a string' })
  metadata?: string;

  /** The entity id of the identity provider. */
  @UnlessAbsent()
  @IsLine({ min: 1, max: 1_024 })
  issuer?: string;

  @UnlessAbsent()
  @Matches(/^https?:\/\/[^\s/]\S*$/i, { message: 'must be an address that begins with https://' })
  @MaxLength(2_048, { message: 'must have at most 2048 characters' })
  @IsString({ message: 'must be a string' })
  ssoUrl?: string;

  /** PEM; more than one during a certificate rollover of the identity provider. */
  @UnlessAbsent()
  @Items(findCertificateProblem)
  certificates?: string[];

  @UnlessAbsent()
  @ValidateBy(
    { name: 'attributeMapping', validator: { validate: isAttributeMapping } },
    { message: `must give names of SAML attributes for ${MAPPED.join(', ')}` },
  )
  attributeMapping?: AttributeMapping;

  /** Whether accounts are created for people who have none. */
  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  createUsers?: boolean;

  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  linkByEmail?: boolean;

  /** Whether the response must be signed as well as the assertion. */
  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  signedResponse?: boolean;
}

function isAttributeMapping(value: unknown): boolean {
  if (!isMapping(value)) return false;
  return Object.entries(value).every(([name, attribute]) => MAPPED.includes(name) && typeof attribute === 'string' && attribute !== '');
}

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
  const stored = await bench.service.get(AccountsService).findDeclaredCustomer(customer);
  if (!stored && !bench.declares('customers', customer)) {
    return [{ path: `${path}.customer`, message: `"${customer}" does not exist; declare it under customers` }];
  }
  const existing = ssoIdentifier === undefined ? null : await bench.service.get(IdentityProvidersService).find(ssoIdentifier);
  if (!existing || existing.customerId === stored?.id) return [];
  const mending = `use another ssoIdentifier, or DELETE /v5/identityProvider/${existing.id} as an operator`;
  const owner = await ownership(bench.service, existing.customerId, mending);
  return [
    { path: `${path}.customer`, message: `is not the customer to whom ${ssoIdentifier} belongs; identity providers do not move. ${owner}` },
  ];
}

/** The metadata and the single fields could contradict each other, so exactly one of the two must be given. */
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
    ...given.map((name) => ({ path: `${path}.${name}`, message: 'is part of the metadata already; give only one of them' })),
    ...problems.map((message) => ({ path: `${path}.metadata`, message })),
  ];
}

async function declareIdentityProvider(entry: IdentityProviderEntry, { service, trail }: Workbench): Promise<object> {
  const { metadata: _metadata, customer: name, issuer: _issuer, ssoUrl: _ssoUrl, certificates: _certificates, ...settings } = entry;
  const customer = await service.get(AccountsService).findDeclaredCustomer(name);
  if (!customer) throw new Error('The customer was found or made before.');
  const providers = service.get(IdentityProvidersService);
  const before = await providers.find(entry.ssoIdentifier);
  const { leftOut, ...source } = sourceOf(entry, service.get(Clock).now());
  const after = await providers.declare({ ...settings, ...source, customerId: customer.id });
  await trail.recordDeclaration(`identity_provider:${entry.ssoIdentifier}`, before, after);
  return { id: after.id, ssoIdentifier: after.ssoIdentifier, ...(leftOut.length > 0 && { certificatesLeftOut: leftOut }) };
}

/** Relies on `findSourceProblems`, which has verified that one of the two sources is complete. */
function sourceOf({ metadata, issuer = '', ssoUrl = '', certificates = [] }: IdentityProviderEntry, now: Date): IdpMetadata {
  const read = metadata === undefined ? null : readMetadata(metadata, now);
  if (read && 'metadata' in read) return read.metadata;
  return { issuer, ssoUrl, certificates: certificates.map(normalizeCertificate), leftOut: [] };
}
