import { IsEmail, IsInt, IsString, Matches, Max, MaxLength, Min } from 'class-validator';
import { MAX_ID } from '../../shared/validation/index.js';
import { MAX_PASSWORD_LENGTH, PASSWORD } from '../password-rule.js';
import { IsLine, IsName, MayBeAbsent } from './field-rules.js';

/** An entry of `users`. */
export class UserEntry {
  /** An address without a dot (root@localhost) is one on a network of one's own. */
  @IsEmail({ require_tld: false }, { message: 'must be an e-mail address' })
  email: string;

  /** The name of the customer. */
  @IsName()
  customer: string;

  @IsLine({ min: 0, max: 255 })
  firstname: string;

  @IsLine({ min: 0, max: 255 })
  lastname: string;

  /** Without one the user cannot sign in by password. */
  @MayBeAbsent()
  @MaxLength(MAX_PASSWORD_LENGTH, { message: `must have at most ${MAX_PASSWORD_LENGTH} characters` })
  @Matches(PASSWORD, { message: 'must be one line of text and not empty' })
  @IsString({ message: 'must be a text (in YAML, put a number into quotes)' })
  password?: string;

  @MayBeAbsent()
  @Min(0, { message: 'must not be less than 0' })
  @Max(MAX_ID, { message: `must not be greater than ${MAX_ID}` })
  @IsInt({ message: 'must be a whole number' })
  adminLevel?: number;
}
