import { IsBoolean, IsIn, IsString, Matches, MaxLength, NotEquals } from 'class-validator';
import { ACCOUNT_CLIENT_ID, type ClientType, findRedirectUriProblem } from '../../modules/oauth/index.js';
import { IsLine, IsName, MayBeAbsent } from './field-rules.js';
import { Items } from './items.js';

const TYPES: readonly ClientType[] = ['web', 'mobile', 'desktop'];
const GRANT_TYPES = ['authorization_code', 'refresh_token', 'client_credentials'];

/** RFC 6749 appendix A.1 and A.2: oidc-provider refuses a client that has others in its identifier or secret. */
const VISIBLE = /^[\x20-\x7e]+$/;
const VISIBLE_MESSAGE = 'must be printable ASCII and not empty';

/** An entry of `clients`. */
export class ClientEntry {
  @NotEquals(ACCOUNT_CLIENT_ID, { message: 'is reserved for the service itself' })
  @MaxLength(255, { message: 'must have at most 255 characters' })
  @Matches(VISIBLE, { message: VISIBLE_MESSAGE })
  @IsString({ message: 'must be a text (in YAML, put a number into quotes)' })
  clientId: string;

  /** What users read on the consent page. */
  @IsName()
  name: string;

  @IsIn(TYPES, { message: `must be one of ${TYPES.join(', ')}` })
  type: ClientType;

  @Items(findRedirectUriProblemOf)
  redirectUris: string[];

  /** Where the browser may go after a sign-out that the client asked for. */
  @MayBeAbsent()
  @Items(findRedirectUriProblemOf)
  postLogoutRedirectUris?: string[];

  @MayBeAbsent()
  @Items((item) => (GRANT_TYPES.some((name) => name === item) ? null : `must be one of ${GRANT_TYPES.join(', ')}`))
  grantTypes?: string[];

  /** A client that has a secret, made unless it is given. Absent: it is so if it has one already, or acts with client credentials. */
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  confidential?: boolean;

  @MayBeAbsent()
  @MaxLength(1_024, { message: 'must have at most 1024 characters' })
  @Matches(VISIBLE, { message: VISIBLE_MESSAGE })
  @IsString({ message: 'must be a text (in YAML, put a number into quotes)' })
  clientSecret?: string;

  /** Belongs to the operator: users are not asked for consent. */
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  firstParty?: boolean;

  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  requirePkce?: boolean;

  /** Consent may be asked for inside a frame. */
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  framedConsent?: boolean;

  /** The e-mail address of the user as whom the client acts with client credentials. */
  @MayBeAbsent()
  @IsLine({ min: 1, max: 255 })
  serviceUser?: string;
}

function findRedirectUriProblemOf(item: unknown, entry: object): string | null {
  if (typeof item !== 'string') return 'must be a text';
  const type = TYPES.find((one) => 'type' in entry && entry.type === one);
  return findRedirectUriProblem(item, type);
}
