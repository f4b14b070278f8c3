import { ArrayMaxSize, IsArray, IsBoolean, IsIn, IsString, MaxLength, MinLength } from 'class-validator';
import { UnlessNull } from '../../../shared/validation/index.js';

const MAX_NAME_CHARACTERS = 255;
const MAX_KEYS = 1_000;
const GRANTS = ['cookie'];

/** Whether viewers have to be signed in. */
export class AuthRuleDto {
  /** @example true */
  @UnlessNull()
  @IsBoolean()
  enabled?: boolean | null;
}

/** Viewers carry a token that was signed with an access key. */
export class ExtAuthRuleDto {
  /** @example true */
  @UnlessNull()
  @IsBoolean()
  enabled?: boolean | null;

  /** Whose tokens count; they need not exist yet. @example ["AK-PARTNER"] */
  @ArrayMaxSize(MAX_KEYS)
  @MaxLength(MAX_NAME_CHARACTERS, { each: true })
  @MinLength(1, { each: true })
  @IsString({ each: true })
  @IsArray()
  allowedAccessKeys: string[];
}

/** Viewers carry an access token of a client application. */
class OauthClientDto {
  /** The client application; it must exist. @example "intranet" */
  @MaxLength(MAX_NAME_CHARACTERS)
  @MinLength(1)
  @IsString()
  clientId: string;

  /**
   * `cookie`: a login session and a living authorization of the client suffice. @example ["cookie"]
   * @deprecated
   */
  @UnlessNull()
  @ArrayMaxSize(GRANTS.length)
  @IsIn(GRANTS, { each: true })
  @IsArray()
  grants?: string[] | null;
}

/** Viewers carry an access token of a client application. */
export class OauthRuleDto extends OauthClientDto {
  /** @example true */
  @IsBoolean()
  enabled: boolean;
}

/** The same in `settings`, where `enabled` may be left out. */
export class OptionalOauthRuleDto extends OauthClientDto {
  /** @example true */
  @UnlessNull()
  @IsBoolean()
  enabled?: boolean | null;
}
