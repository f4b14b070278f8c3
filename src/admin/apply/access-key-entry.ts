import { IsString, Matches, MaxLength } from 'class-validator';
import { IsLine, MayBeAbsent } from './field-rules.js';

/** They travel in headers: visible ASCII (RFC 9110 section 5.5). */
const VISIBLE = /^[\x21-\x7e]+$/;

/** An entry of `accessKeys`. */
export class AccessKeyEntry {
  @MaxLength(255, { message: 'must have at most 255 characters' })
  @Matches(VISIBLE, { message: 'must be visible ASCII without spaces' })
  @IsString({ message: 'must be a text (in YAML, put a number into quotes)' })
  accessKey: string;

  /** A new key without one gets a random secret, which is printed once. */
  @MayBeAbsent()
  @IsLine({ min: 1, max: 1_024 })
  accessSecret?: string;

  /** The e-mail address of the user as whom the key acts. */
  @IsLine({ min: 1, max: 255 })
  user: string;
}
