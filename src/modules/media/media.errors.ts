import { defineErrors } from '../../shared/errors.js';

export const mediaErrors = defineErrors({
  media_container_in_trash: {
    kind: 'conflict',
    meaning: 'The media container is in the trash; restore it first (PUT with flag 0, or 33 for a watermark asset).',
  },
  not_ready: {
    kind: 'conflict',
    meaning: 'The file of the media item has not been uploaded, or its success was not reported yet.',
  },
  not_a_track: {
    kind: 'invalid',
    meaning:
      'The media item is an original or a rendition; only tracks (subtitles, captions, descriptions, chapters, posters) can be changed or removed individually.',
  },
  too_many_tracks: {
    kind: 'invalid',
    meaning:
      'A media container has at most 32 tracks of a role; remove one (DELETE /v5/mediacontainer/:id/media/:mediaId) before adding another.',
  },
  track_exists: {
    kind: 'conflict',
    meaning: 'The media container has another track of the same role in this language; remove that one first, or choose another language.',
  },
  track_unreadable: {
    kind: 'invalid',
    meaning:
      'The uploaded file is not what the role of its track needs: WebVTT or SubRip, or a picture. The member `line` is the first line that is wrong; 0: the file as a whole. Upload another file under the same key and report it again.',
  },
  find_too_broad: {
    kind: 'unavailable',
    meaning:
      'The find matches so many media containers that it cannot be answered within a second; narrow it by a further filter, such as a period, a type or a rarer word.',
  },
  object_changed: {
    kind: 'conflict',
    meaning:
      'The file was replaced in the object storage after its upload was accepted, and the bucket keeps no versions, so the file is not delivered. Upload it again; the operator can enable versioning of the bucket.',
  },
});
