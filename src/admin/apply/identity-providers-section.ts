import { OmitType } from '@nestjs/swagger';
import { IsArray, IsString, Matches, MaxLength } from 'class-validator';
import { AccountsService } from '../../modules/accounts/index.js';
import {
  CreateIdentityProviderDto,
  findCertificateProblem,
  IdentityProvidersService,
  type IdpMetadata,
  normalizeCertificate,
  readMetadata,
} from '../../modules/saml/index.js';
import { Clock } from '../../shared/clock.js';
import { type ProblemFinder, UnlessAbsent, ValidateDeeply } from '../../shared/validation/index.js';
import { type ApplyContext, type Draft, IsLine, IsName, ownership, type Problem, type Section } from './section.js';

/** The certificates of a list that cannot be used. */
const findCertificateProblems: ProblemFinder = (list) =>
  (Array.isArray(list) ? list : []).flatMap((pem: unknown, index) => {
    const message = findCertificateProblem(pem);
    return message === null ? [] : [{ path: String(index), code: 'certificate', message }];
  });

/** An entry of `identityProviders`: `metadata`, or `issuer`, `ssoUrl` and `certificates`. */
class IdentityProviderEntry extends OmitType(CreateIdentityProviderDto, ['metadata', 'customerId'] as const) {
  /** The name of the customer whose users sign in there. */
  @IsName()
  customer: string;

  /** The XML of the identity provider's metadata. */
  @UnlessAbsent()
  @MaxLength(1_048_576)
  @IsString()
  metadata?: string;

  /** The entity id of the identity provider. */
  @UnlessAbsent()
  @IsLine({ min: 1, max: 1_024 })
  issuer?: string;

  @UnlessAbsent()
  @Matches(/^https?:\/\/[^\s/]\S*$/i, { message: '$property must be an address that begins with https://' })
  @MaxLength(2_048)
  @IsString()
  ssoUrl?: string;

  /** PEM; more than one during a certificate rollover of the identity provider. */
  @UnlessAbsent()
  @ValidateDeeply('certificates', findCertificateProblems)
  @IsArray()
  certificates?: string[];
}

type EntryDraft = Draft<IdentityProviderEntry>;

const SINGLE_FIELDS = ['issuer', 'ssoUrl', 'certificates'] as const;

export const identityProvidersSection: Section<IdentityProviderEntry> = {
  entry: IdentityProviderEntry,
  key: 'ssoIdentifier',
  normalize: (ssoIdentifier) => ssoIdentifier,
  findProblems: async (draft, context) => [...(await findCustomerProblems(draft, context)), ...findSourceProblems(draft, context)],
  declare: declareIdentityProvider,
};

async function findCustomerProblems({ path, fields: { customer, ssoIdentifier } }: EntryDraft, context: ApplyContext): Promise<Problem[]> {
  if (customer === undefined) return [];
  const stored = await context.service.get(AccountsService).findDeclaredCustomer(customer);
  if (!stored && !context.declares('customers', customer)) {
    return [{ path: `${path}.customer`, message: `"${customer}" does not exist; declare it under customers` }];
  }
  const existing = ssoIdentifier === undefined ? null : await context.service.get(IdentityProvidersService).find(ssoIdentifier);
  if (!existing || existing.customerId === stored?.id) return [];
  const mending = `use another ssoIdentifier, or DELETE /v5/identityProvider/${existing.id} as an operator`;
  const owner = await ownership(context.service, existing.customerId, mending);
  return [
    { path: `${path}.customer`, message: `is not the customer to whom ${ssoIdentifier} belongs; identity providers do not move. ${owner}` },
  ];
}

/** The metadata and the single fields could contradict each other, so exactly one of the two must be given. */
function findSourceProblems({ path, fields, invalidFields }: EntryDraft, context: ApplyContext): Problem[] {
  const given = SINGLE_FIELDS.filter((name) => fields[name] !== undefined || invalidFields.has(name));
  if (invalidFields.has('metadata')) return [];
  if (fields.metadata === undefined) {
    const missing = SINGLE_FIELDS.filter((name) => !given.includes(name));
    const empty = fields.certificates?.length === 0 ? [{ path: `${path}.certificates`, message: 'must have at least one item' }] : [];
    return [...missing.map((name) => ({ path: `${path}.${name}`, message: 'is required without metadata' })), ...empty];
  }
  const read = readMetadata(fields.metadata, context.service.get(Clock).now());
  const problems = 'problems' in read ? read.problems : [];
  return [
    ...given.map((name) => ({ path: `${path}.${name}`, message: 'is part of the metadata already; give only one of them' })),
    ...problems.map((message) => ({ path: `${path}.metadata`, message })),
  ];
}

async function declareIdentityProvider(entry: IdentityProviderEntry, { service, trail }: ApplyContext): Promise<object> {
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
