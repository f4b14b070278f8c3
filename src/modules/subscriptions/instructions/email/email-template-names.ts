/** The templates of e-mails that an instruction may name: a download link, or one for each event. */
export const EMAIL_TEMPLATES = [
  'downloadLink',
  'uploadComplete',
  'dropsiteUploadStarted',
  'dropsiteUploadComplete',
  'releaseRequest',
  'transcoderJobComplete',
  's3success',
  'dropsiteToPublicArea',
] as const;

export type EmailTemplate = (typeof EMAIL_TEMPLATES)[number];
