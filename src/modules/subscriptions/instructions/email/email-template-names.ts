/** The e-mail templates that an instruction may name: one for download links, and one for each event. */
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
