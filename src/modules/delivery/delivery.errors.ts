import { type DomainError, defineErrors } from '../../shared/errors.js';
import type { Denial } from './decision/decide-delivery.js';
import type { DenialWords } from './decision/rules/delivery-rule.js';
import { type DenialCode, deliveryRules } from './decision/rules/index.js';

const denials = Object.fromEntries(deliveryRules.flatMap((rule) => Object.entries<DenialWords>(rule.denials))) as Record<
  DenialCode,
  DenialWords
>;

const denialDefinitions = Object.fromEntries(
  Object.entries(denials).map(([code, { meaning }]) => [code, { kind: 'forbidden', meaning }]),
) as Record<DenialCode, { readonly kind: 'forbidden'; readonly meaning: string }>;

/** The errors that viewers and owners of links can get. */
export const deliveryErrors = defineErrors({
  link_ended: {
    kind: 'gone',
    meaning: 'The link was deleted or has ended, its media is in the trash or has ended, or the license has expired.',
  },
  ...denialDefinitions,
  media_not_available: {
    kind: 'not_found',
    meaning: 'The player configuration delivers the format, but no file of it exists: it is being made, has failed, or was not requested.',
  },
  no_picture: {
    kind: 'not_found',
    meaning:
      'The link shows no picture, or its picture cannot be read: it is damaged, of another type, or has too many pixels. A poster can be uploaded instead.',
  },
  picture_not_ready: {
    kind: 'unavailable',
    meaning: 'The picture is being made, and no other size or file can be shown instead. Try again after the seconds in Retry-After.',
  },
  storyboard_not_available: {
    kind: 'not_found',
    meaning: 'The media has no storyboard. Formats that are based on the blueprint Storyboard make one from a film.',
  },
  not_streamable: {
    kind: 'not_found',
    meaning:
      'The link has no streaming rendition: the player configuration contains no streaming format that players use, or none has been made yet.',
  },
  parallel_limit_reached: {
    kind: 'rate_limited',
    meaning: 'The limit of concurrent viewers in this network has been reached. Wait for the number of seconds in Retry-After.',
  },
  too_many_archives: {
    kind: 'rate_limited',
    meaning:
      'The limit of archives that are sent to one address at the same time has been reached. Wait for the number of seconds in Retry-After.',
  },
  play_refused: {
    kind: 'forbidden',
    meaning:
      'The report of a play counts nothing: its token was not issued to a page of this link, or the play is impossible in that time.',
  },
  signature_required: {
    kind: 'forbidden',
    meaning: 'The operation requires a signed request; an access token is not enough, because it names no access key.',
  },
  access_key_not_allowed: {
    kind: 'forbidden',
    meaning:
      "The access key that signed the request is not in extAuth.allowedAccessKeys of the link's player configuration, or extAuth is off.",
  },
  oembed_private: {
    kind: 'unauthenticated',
    meaning: 'Only certain viewers may see the link, so it is not described; show its address instead (oEmbed, section 2.3.4).',
  },
  in_trash: {
    kind: 'invalid',
    meaning: 'The download link names media containers that are in the trash; restore them first. `errors` names each of them.',
  },
  download_link_ended: { kind: 'gone', meaning: 'The download link has passed its end.' },
});

/** A 403 error with the rule that refuses the viewer as the member `rule`. */
export const denialError = ({ code, rule }: Denial): DomainError => deliveryErrors[code](denials[code].viewerText, { rule });

/** The codes with which the gate refuses a request for a link; for ApiErrors. */
export const LINK_CODES = ['not_found', 'link_ended', ...codesOf('link')] as const;

/** The codes with which the gate refuses a request for a file; for ApiErrors. */
export const FILE_CODES = [...LINK_CODES, ...codesOf('file')] as const;

function codesOf(scope: 'link' | 'file'): string[] {
  return deliveryRules.filter((rule) => rule.scope === scope).flatMap((rule) => Object.keys(rule.denials));
}
