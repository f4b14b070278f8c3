import { IsBoolean, IsString, Matches, MaxLength, ValidateBy } from 'class-validator';
import { type AttributeMapping, findCertificateProblem } from '../../modules/saml/index.js';
import { IsLine, IsName, MayBeAbsent } from './field-rules.js';
import { isMapping } from './is-mapping.js';
import { Items } from './items.js';

/** It stands in URLs that identity providers keep: no character that somebody would write in two ways. */
const SSO_IDENTIFIER = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

const MAPPED = ['email', 'firstname', 'lastname'];

/** An entry of `identityProviders`: `metadata`, or `issuer`, `ssoUrl` and `certificates`. */
export class IdentityProviderEntry {
  @Matches(SSO_IDENTIFIER, {
    message: 'must be 1 to 64 letters, digits, dots, hyphens or underscores, and not begin with one of the latter',
  })
  @IsString({ message: 'must be a text (in YAML, put a number into quotes)' })
  ssoIdentifier: string;

  /** The name of the customer whose users sign in there. */
  @IsName()
  customer: string;

  /** The XML of the identity provider's metadata. */
  @MayBeAbsent()
  @MaxLength(1_048_576, { message: 'must have at most 1048576 characters' })
  @IsString({ message: 'must be a text' })
  metadata?: string;

  /** The entity id of the identity provider. */
  @MayBeAbsent()
  @IsLine({ min: 1, max: 1_024 })
  issuer?: string;

  @MayBeAbsent()
  @Matches(/^https?:\/\/[^\s/]\S*$/i, { message: 'must be an address that begins with https://' })
  @MaxLength(2_048, { message: 'must have at most 2048 characters' })
  @IsString({ message: 'must be a text' })
  ssoUrl?: string;

  /** PEM; more than one while the identity provider renews its own. */
  @MayBeAbsent()
  @Items(findCertificateProblem)
  certificates?: string[];

  @MayBeAbsent()
  @ValidateBy(
    { name: 'attributeMapping', validator: { validate: isAttributeMapping } },
    { message: `must give names of SAML attributes for ${MAPPED.join(', ')}` },
  )
  attributeMapping?: AttributeMapping;

  /** Makes accounts for people who have none here. */
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  createUsers?: boolean;

  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  linkByEmail?: boolean;

  /** Whether the response has to be signed besides the assertion. */
  @MayBeAbsent()
  @IsBoolean({ message: 'must be true or false' })
  signedResponse?: boolean;
}

function isAttributeMapping(value: unknown): boolean {
  if (!isMapping(value)) return false;
  return Object.entries(value).every(([name, attribute]) => MAPPED.includes(name) && typeof attribute === 'string' && attribute !== '');
}
