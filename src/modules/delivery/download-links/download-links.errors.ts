import { defineErrors } from '../../../shared/errors/index.js';

export const downloadLinkErrors = defineErrors({
  download_link_ended: { kind: 'gone', meaning: 'The time of the download link is over.' },
});
