import { IsBoolean, IsIn, IsString, Matches, MaxLength } from 'class-validator';
import { AccountsService } from '../../modules/accounts/index.js';
import {
  type Client,
  ClientsService,
  type ClientType,
  DEFAULT_GRANT_TYPES,
  findRedirectUriProblem,
  MIN_CLIENT_SECRET_LENGTH,
  mayOmitPkce,
  newClientSecret,
} from '../../modules/oauth/index.js';
import { sha256 } from '../../shared/secrets/index.js';
import { UnlessAbsent } from '../../shared/validation/index.js';
import { type Draft, IsLine, IsName, Items, type Problem, type Section, type Workbench } from './section.js';

const TYPES: readonly ClientType[] = ['web', 'mobile', 'desktop'];
const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];

/** RFC 6749 appendix A.1 and A.2: oidc-provider rejects any other character in a client identifier or secret. */
const VISIBLE = /^[\x20-\x7e]+$/;
const VISIBLE_MESSAGE = 'must be printable ASCII and not empty';

/** An entry of `clients`. */
class ClientEntry {
  @MaxLength(255, { message: 'must have at most 255 characters' })
  @Matches(VISIBLE, { message: VISIBLE_MESSAGE })
  @IsString({ message: 'must be a string (in YAML, put a number into quotes)' })
  clientId: string;

  /** The name that users see on the consent page. */
  @IsName()
  name: string;

  @IsIn(TYPES, { message: `must be one of ${TYPES.join(', ')}` })
  type: ClientType;

  @Items(findRedirectUriProblemOf)
  redirectUris: string[];

  /** Where the browser may be sent after a sign-out that the client requested. */
  @UnlessAbsent()
  @Items(findRedirectUriProblemOf)
  postLogoutRedirectUris?: string[];

  @UnlessAbsent()
  @Items((item) => (GRANT_TYPES.some((name) => name === item) ? null : `must be one of ${GRANT_TYPES.join(', ')}`))
  grantTypes?: string[];

  /**
   * Whether the client has a secret; one is generated unless the file gives it. Default: true for a client that already has one or uses client
   * credentials.
   */
  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  confidential?: boolean;

  @UnlessAbsent()
  @MaxLength(1_024, { message: 'must have at most 1024 characters' })
  @Matches(VISIBLE, { message: VISIBLE_MESSAGE })
  @IsString({ message: 'must be a string (in YAML, put a number into quotes)' })
  clientSecret?: string;

  /** Belongs to the operator: users are not asked for consent. */
  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  firstParty?: boolean;

  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  requirePkce?: boolean;

  /** Whether the consent page may be shown inside a frame. */
  @UnlessAbsent()
  @IsBoolean({ message: 'must be true or false' })
  framedConsent?: boolean;

  /** The e-mail address of the user on whose behalf the client acts with client credentials. */
  @UnlessAbsent()
  @IsLine({ min: 1, max: 255 })
  serviceUser?: string;
}

function findRedirectUriProblemOf(item: unknown, entry: object): string | null {
  if (typeof item !== 'string') return 'must be a string';
  const type = TYPES.find((one) => 'type' in entry && entry.type === one);
  return findRedirectUriProblem(item, type);
}

export const clientsSection: Section<ClientEntry> = {
  entry: ClientEntry,
  key: 'clientId',
  normalize: (clientId) => clientId,
  findProblems: async (draft, bench) => [
    ...(await findIdProblems(draft, bench)),
    ...(await findServiceUserProblems(draft, bench)),
    ...(await findGrantProblems(draft, bench)),
    ...(await findSecretProblems(draft, bench)),
  ],
  declare: declareClient,
};

/** Reports a client of a customer, and an id that only the service uses; which ids there may be is one rule for files and starts. */
async function findIdProblems({ path, fields: { clientId } }: Draft<ClientEntry>, { service }: Workbench): Promise<Problem[]> {
  const refusal = clientId === undefined ? null : await service.get(ClientsService).findRefusal(clientId);
  return refusal ? [{ path: `${path}.clientId`, message: refusal.detail }] : [];
}

/** The grant types after the file is applied; if the file leaves them out, the stored ones stay. */
const grantTypesOf = ({ grantTypes }: Partial<ClientEntry>, stored: Client | null): readonly string[] =>
  grantTypes ?? stored?.grantTypes ?? DEFAULT_GRANT_TYPES;

async function findServiceUserProblems({ path, fields }: Draft<ClientEntry>, bench: Workbench): Promise<Problem[]> {
  const email = fields.serviceUser;
  if (email === undefined || bench.declares('users', email)) return [];
  if (await bench.service.get(AccountsService).findByEmail(email)) return [];
  return [{ path: `${path}.serviceUser`, message: `"${email}" does not exist; declare it under users` }];
}

async function findGrantProblems({ path, fields, unsound }: Draft<ClientEntry>, { service }: Workbench): Promise<Problem[]> {
  if (fields.clientId === undefined || unsound.has('grantTypes')) return [];
  const stored = await service.get(ClientsService).findStored(fields.clientId);
  const grantTypes = grantTypesOf(fields, stored);
  const problems: Problem[] = [];
  if (grantTypes.includes('authorization_code') && fields.redirectUris?.length === 0) {
    problems.push({ path: `${path}.redirectUris`, message: 'must name at least one, because of the grant type authorization_code' });
  }
  const actsAs = fields.serviceUser ?? stored?.serviceUserId ?? (unsound.has('serviceUser') ? 'unsound' : null);
  if (grantTypes.includes('client_credentials') && actsAs === null) {
    problems.push({ path: `${path}.serviceUser`, message: 'is required, because of the grant type client_credentials' });
  }
  return problems;
}

/** A shorter secret that is already stored is accepted, so that a file that was applied before can be applied again. */
async function findSecretProblems({ path, fields, unsound }: Draft<ClientEntry>, { service }: Workbench): Promise<Problem[]> {
  const { clientId, clientSecret, confidential } = fields;
  if (clientId === undefined) return [];
  const stored = await service.get(ClientsService).findStored(clientId);
  const problems: Problem[] = [];
  if (clientSecret !== undefined && isShort(clientSecret) && stored?.secretHash !== sha256(clientSecret)) {
    const message = `must have at least ${MIN_CLIENT_SECRET_LENGTH} characters; leave it out to have one generated`;
    problems.push({ path: `${path}.clientSecret`, message });
  }
  if (confidential !== false) return problems;
  if (clientSecret !== undefined || unsound.has('clientSecret')) {
    problems.push({ path: `${path}.confidential`, message: 'must not be false if a clientSecret is given' });
  } else if (!unsound.has('grantTypes') && grantTypesOf(fields, stored).includes('client_credentials')) {
    problems.push({ path: `${path}.confidential`, message: 'must not be false, because of the grant type client_credentials' });
  }
  return problems;
}

const isShort = (secret: string): boolean => secret.length < MIN_CLIENT_SECRET_LENGTH;

/** A client that is confidential or uses client credentials needs a secret; one is generated if none is stored or given. */
async function declareClient(entry: ClientEntry, { service, trail, warn }: Workbench): Promise<object> {
  const clients = service.get(ClientsService);
  const before = await clients.findStored(entry.clientId);
  const isConfidential = entry.confidential === true || grantTypesOf(entry, before).includes('client_credentials');
  const generated = isConfidential && !before?.secretHash && entry.clientSecret === undefined ? newClientSecret() : undefined;
  if (entry.clientSecret !== undefined && isShort(entry.clientSecret)) {
    warn(
      `clients: "${entry.clientId}" keeps its secret of fewer than ${MIN_CLIENT_SECRET_LENGTH} characters; rotate it with "clients rotate-secret".`,
    );
  }
  const after = await clients.declare({ ...entry, clientSecret: entry.clientSecret ?? generated });
  if (mayOmitPkce(after)) {
    warn(
      `clients: "${after.clientId}" is public and does not require PKCE; once all its installations send it, declare requirePkce: true.`,
    );
  }
  await trail.recordDeclaration(`client:${after.clientId}`, before, after);
  return { id: after.id, clientId: after.clientId, ...(generated === undefined ? {} : { clientSecret: generated }) };
}
