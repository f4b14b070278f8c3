import type { Limits } from '../../../shared/validation/index.js';
import {
  canonicalLanguage,
  findTrackRole,
  languageName,
  MAX_LABEL_CHARACTERS,
  MAX_LANGUAGE_CHARACTERS,
  type NewTrack,
  TRACK_ROLE_DESCRIPTORS,
  type TrackRole,
} from '../../media/index.js';
import { CONTROL, isText, optional, type Problem, problem, required } from './item-problems.js';

/** The limits of the members of a track. In other items these members have no meaning and no limits, but nothing is lost if clients keep to them. */
export const TRACK_LIMITS: Limits['properties'] = {
  language: { maxLength: MAX_LANGUAGE_CHARACTERS },
  label: { maxLength: MAX_LABEL_CHARACTERS },
};

/** Whether an item is to be added to an existing container. */
export const isTrackItem = ({ mediaContainerId, role }: Record<string, unknown>): boolean =>
  (mediaContainerId !== undefined && mediaContainerId !== null) || (role !== undefined && role !== null);

/** Finds missing fields and wrong types of a track; for other items, in which these fields have no meaning, only wrong types. */
export function findTrackTypeProblem(item: Record<string, unknown>): Problem | null {
  const { mediaContainerId, role, language, label, default: isDefault } = item;
  const needsLanguage = findTrackRole(role)?.hasLanguage ?? false;
  const requireIfTrack = isTrackItem(item) ? required : optional;
  return (
    optional('role', role, 'text') ?? // before mediaContainerId, which even a mistyped role requires
    requireIfTrack('mediaContainerId', mediaContainerId, 'integer') ??
    requireIfTrack('role', role, 'text') ??
    (needsLanguage ? required : optional)('language', language, 'text') ??
    optional('label', label, 'text') ??
    optional('default', isDefault, 'boolean')
  );
}

/** A track in which every field has the correct type. */
export interface TypedTrack {
  readonly mediaContainerId: number;
  readonly role: string;
  readonly language?: string | null;
  readonly label?: string | null;
  readonly default?: boolean | null;
}

/** The file as it will be stored. */
interface TrackFile {
  readonly fileExtension: string;
  readonly fileSize: number;
}

/** Finds the problem of a track whose fields have the correct types; null: the track can be added. */
export function findTrackProblem(track: TypedTrack, { fileExtension, fileSize }: TrackFile): Problem | null {
  const { role, language, label } = track;
  const descriptor = findTrackRole(role);
  if (!descriptor) return problem('invalid_role', `role must be ${listed(TRACK_ROLE_DESCRIPTORS.map((known) => known.role))}.`);
  const { extensions, maxBytes, hasLanguage } = descriptor;
  if (!extensions.includes(fileExtension)) {
    return problem('invalid_file_extension', `A file of the role ${role} must have the extension ${listed(extensions)}.`);
  }
  if (fileSize > maxBytes) return problem('file_too_large', `A file of the role ${role} may have at most ${maxBytes / 1_000_000} MB.`);
  if (hasLanguage && (!isText(language, MAX_LANGUAGE_CHARACTERS) || canonicalLanguage(language ?? '') === null)) {
    return problem('invalid_language', 'language must be a language tag (BCP 47), such as en or pt-BR.');
  }
  const hasLabel = isText(label ?? '', MAX_LABEL_CHARACTERS) && !CONTROL.test(label ?? '');
  return hasLabel ? null : problem('invalid_label', `label must be one line of at most ${MAX_LABEL_CHARACTERS} characters.`);
}

/** Reads a track that has no problems. A role without language has no label either, and none of its tracks is a default. */
export function readTrack({ mediaContainerId, role, language, label, default: isDefault }: TypedTrack): NewTrack {
  const tag = findTrackRole(role)?.hasLanguage ? canonicalLanguage(language ?? '') : null;
  const named = tag === null ? null : label || languageName(tag);
  return { mediaContainerId, role: role as TrackRole, language: tag, label: named, isDefault: tag !== null && isDefault === true };
}

const listed = (words: readonly string[]): string => `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
