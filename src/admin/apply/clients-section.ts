import { OmitType } from '@nestjs/swagger';
import { IsString, Matches, MaxLength } from 'class-validator';
import { AccountsService } from '../../modules/accounts/index.js';
import {
  type Client,
  ClientsService,
  CreateClientDto,
  DEFAULT_GRANT_TYPES,
  findClientProblems,
  MIN_CLIENT_SECRET_LENGTH,
  mayOmitPkce,
  newClientSecret,
} from '../../modules/oauth/index.js';
import { sha256 } from '../../shared/secrets/index.js';
import { UnlessAbsent } from '../../shared/validation/index.js';
import { type ApplyContext, type Draft, IsLine, type Problem, type Section } from './section.js';

/** RFC 6749 appendix A.1 and A.2: oidc-provider rejects any other character in a client identifier or secret. */
const VISIBLE = /^[\x20-\x7e]+$/;
const VISIBLE_MESSAGE = '$property must be printable ASCII and not empty';

/** An entry of `clients`. Clients that were registered before the rule of the API for their ids keep them. */
class ClientEntry extends OmitType(CreateClientDto, ['clientId', 'customerId', 'serviceUserId'] as const) {
  @MaxLength(255)
  @Matches(VISIBLE, { message: VISIBLE_MESSAGE })
  @IsString()
  clientId: string;

  /** For a confidential client; if it has none, one is generated. */
  @UnlessAbsent()
  @MaxLength(1_024)
  @Matches(VISIBLE, { message: VISIBLE_MESSAGE })
  @IsString()
  clientSecret?: string;

  /** The e-mail address of the user on whose behalf the client acts with client credentials. */
  @UnlessAbsent()
  @IsLine({ min: 1, max: 255 })
  serviceUser?: string;
}

export const clientsSection: Section<ClientEntry> = {
  entry: ClientEntry,
  key: 'clientId',
  normalize: (clientId) => clientId,
  findProblems: async (draft, context) => [
    ...(await findIdProblems(draft, context)),
    ...(await findServiceUserProblems(draft, context)),
    ...(await findSettingsProblems(draft, context)),
    ...(await findSecretProblems(draft, context)),
  ],
  declare: declareClient,
};

/** Reports a client of a customer, and an id that only the service uses; which ids there may be is one rule for files and starts. */
async function findIdProblems({ path, fields: { clientId } }: Draft<ClientEntry>, { service }: ApplyContext): Promise<Problem[]> {
  const refusal = clientId === undefined ? null : await service.get(ClientsService).findRefusal(clientId);
  return refusal ? [{ path: `${path}.clientId`, message: refusal.detail }] : [];
}

/** The grant types after the file is applied; if the file leaves them out, the stored ones stay. */
const grantTypesOf = ({ grantTypes }: Partial<ClientEntry>, stored: Client | null): readonly string[] =>
  grantTypes ?? stored?.grantTypes ?? DEFAULT_GRANT_TYPES;

async function findServiceUserProblems({ path, fields }: Draft<ClientEntry>, context: ApplyContext): Promise<Problem[]> {
  const email = fields.serviceUser;
  if (email === undefined || context.declares('users', email)) return [];
  if (await context.service.get(AccountsService).findByEmail(email)) return [];
  return [{ path: `${path}.serviceUser`, message: `"${email}" does not exist; declare it under users` }];
}

/** Applies the rules of the API to the settings after the file is applied; rules about fields that are wrong themselves are skipped. */
async function findSettingsProblems({ path, fields, invalidFields }: Draft<ClientEntry>, { service }: ApplyContext): Promise<Problem[]> {
  const stored = fields.clientId === undefined ? null : await service.get(ClientsService).findStored(fields.clientId);
  const { type, redirectUris = [], postLogoutRedirectUris = [], serviceUser } = fields;
  const problems = findClientProblems({
    ...{ type, redirectUris, postLogoutRedirectUris },
    grantTypes: invalidFields.has('grantTypes') ? [] : grantTypesOf(fields, stored),
    hasServiceUser: serviceUser !== undefined || invalidFields.has('serviceUser') || (stored?.serviceUserId ?? null) !== null,
    confidential: fields.confidential !== false,
  });
  const isValid = (field: string) => !invalidFields.has(field.split('.')[0] ?? '');
  const found = problems.map((problem) => ({ ...problem, path: problem.path.replace('serviceUserId', 'serviceUser') }));
  return found.filter((problem) => isValid(problem.path)).map(({ path: field, message }) => ({ path: `${path}.${field}`, message }));
}

/** A shorter secret that is already stored is accepted, so that a file that was applied before can be applied again. */
async function findSecretProblems({ path, fields, invalidFields }: Draft<ClientEntry>, { service }: ApplyContext): Promise<Problem[]> {
  const { clientId, clientSecret, confidential } = fields;
  if (clientId === undefined) return [];
  const stored = await service.get(ClientsService).findStored(clientId);
  const problems: Problem[] = [];
  if (clientSecret !== undefined && isShort(clientSecret) && stored?.secretHash !== sha256(clientSecret)) {
    const message = `must have at least ${MIN_CLIENT_SECRET_LENGTH} characters; leave it out to have one generated`;
    problems.push({ path: `${path}.clientSecret`, message });
  }
  if (confidential !== false) return problems;
  if (clientSecret !== undefined || invalidFields.has('clientSecret'))
    problems.push({ path: `${path}.confidential`, message: 'must not be false if a clientSecret is given' });
  return problems;
}

const isShort = (secret: string): boolean => secret.length < MIN_CLIENT_SECRET_LENGTH;

/** A client that is confidential or uses client credentials needs a secret; one is generated if none is stored or given. */
async function declareClient(entry: ClientEntry, { service, trail, warn }: ApplyContext): Promise<object> {
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
