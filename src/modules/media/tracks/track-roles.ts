import type { MediaType } from '../media-container.entity.js';
import type { TextTrackRole, TrackRole } from '../media-item.entity.js';
import { MAX_TEXT_BYTES } from './track-conversions.service.js';

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
}

/** Tracks of a role in a container (contract section 13.1): more than any film has, and few enough to compare all for a viewer. */
export const MAX_TRACKS = 32;

/** The longest name of a track for viewers, in characters. */
export const MAX_LABEL_CHARACTERS = 255;
const MAX_POSTER_BYTES = 50_000_000;

const textRole = (role: TextTrackRole, defaultAmong: readonly TextTrackRole[] = [role]): TrackRoleDescriptor => ({
  role,
  type: 'document',
  extensions: ['vtt', 'srt'],
  maxBytes: MAX_TEXT_BYTES,
  hasLanguage: true,
  defaultAmong,
});

const poster: TrackRoleDescriptor = {
  role: 'poster',
  type: 'image',
  extensions: ['jpg', 'jpeg', 'png', 'webp', 'avif', 'gif', 'bmp'], // what browsers show
  maxBytes: MAX_POSTER_BYTES,
  hasLanguage: false,
  defaultAmong: [],
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
