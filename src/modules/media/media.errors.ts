import { defineErrors } from '../../shared/errors.js';

export const mediaErrors = defineErrors({
  media_container_in_trash: {
    kind: 'conflict',
    meaning: 'The media container is in the trash; restore it first (PUT with flag 0, or 33 for a watermark asset).',
  },
  object_changed: {
    kind: 'conflict',
    meaning:
      'The file was replaced in the object storage after its upload was accepted, and the bucket keeps no versions, so the file is not delivered. Upload it again; the operator can enable versioning of the bucket.',
  },
});
