import { inTurns } from '../../../shared/fairness/index.js';
import { readImageHeader } from '../../../shared/picture-header.js';
import type { MediaType } from '../media-container.entity.js';
import type { TextTrackRole, TrackRole } from '../media-item.entity.js';
import type { MediaFacts } from '../new-media-item.js';
import { convertTextTrack, type TrackProblem } from './convert-text-track.js';

/** States everything about one role of tracks (contract section 12.2). */
export interface TrackRoleDescriptor {
  readonly role: TrackRole;
  /** The type of its media items. */
  readonly type: MediaType;
  /** Lower case, without dot. */
  readonly extensions: readonly string[];
  readonly maxBytes: number;
  /** Whether a container has a track of the role per language; otherwise it has a single one, without language and label. */
  readonly hasLanguage: boolean;
  /** Roles of which at most one track is the default, as in HTML (section 4.8.11.11.1). */
  readonly defaultAmong: readonly TrackRole[];
  /** Number of leading bytes of the file that `inspect` needs. */
  readonly inspectedBytes: number;
  /** Returns the facts about an uploaded file, or why it is not accepted. */
  readonly inspect: (head: Buffer) => Promise<TrackInspection>;
}

export type TrackInspection =
  | { readonly facts: MediaFacts; readonly problem?: undefined }
  | { readonly problem: TrackProblem; readonly facts?: undefined };

/** A hundred times the size of a film's subtitles; viewers load the whole file. */
export const MAX_TEXT_BYTES = 10_000_000;
const MAX_POSTER_BYTES = 50_000_000;
/** Enough for the profiles and previews that precede the size of a picture. */
const HEADER_BYTES = 524_288;
/** Pixels; browsers show no larger pictures. */
const MAX_SIDE = 65_535;

const UNKNOWN: MediaFacts = { width: null, height: null, duration: null, codec: null };

const textRole = (role: TextTrackRole, defaultAmong: readonly TextTrackRole[] = [role]): TrackRoleDescriptor => ({
  role,
  type: 'document',
  extensions: ['vtt', 'srt'],
  maxBytes: MAX_TEXT_BYTES,
  hasLanguage: true,
  defaultAmong,
  inspectedBytes: MAX_TEXT_BYTES,
  inspect: async (content) => {
    const { problem } = await inTurns(convertTextTrack(content));
    return problem ? { problem } : { facts: UNKNOWN };
  },
});

const poster: TrackRoleDescriptor = {
  role: 'poster',
  type: 'image',
  extensions: ['jpg', 'jpeg', 'png', 'webp', 'avif', 'gif', 'bmp'], // what browsers show
  maxBytes: MAX_POSTER_BYTES,
  hasLanguage: false,
  defaultAmong: [],
  inspectedBytes: HEADER_BYTES,
  inspect: async (head) => {
    const header = readImageHeader(head);
    if (!header || header.width > MAX_SIDE || header.height > MAX_SIDE) {
      return { problem: { line: 0, message: 'The file is not a picture that browsers show: JPEG, PNG, WebP, AVIF, GIF or BMP.' } };
    }
    const { width, height, orientation } = header;
    return { facts: { ...UNKNOWN, ...(orientation > 4 ? { width: height, height: width } : { width, height }) } };
  },
};

/** The descriptors of all roles that an uploaded file can have in a container. */
export const TRACK_ROLE_DESCRIPTORS: readonly TrackRoleDescriptor[] = [
  textRole('subtitles', ['subtitles', 'captions']),
  textRole('captions', ['subtitles', 'captions']),
  textRole('descriptions'),
  textRole('chapters'),
  poster,
];

const byRole: ReadonlyMap<string, TrackRoleDescriptor> = new Map(TRACK_ROLE_DESCRIPTORS.map((descriptor) => [descriptor.role, descriptor]));

export const findTrackRole = (role: unknown): TrackRoleDescriptor | null => (typeof role === 'string' ? byRole.get(role) : null) ?? null;

/** Returns the descriptor of a role. */
export function trackRole(role: TrackRole): TrackRoleDescriptor {
  const descriptor = findTrackRole(role);
  if (!descriptor) throw new Error(`The role ${role} has no descriptor.`);
  return descriptor;
}
