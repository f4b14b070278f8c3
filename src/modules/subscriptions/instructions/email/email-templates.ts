import type { EmailTemplateWriter } from './email-template.js';
import { downloadLink } from './templates/download-link.js';
import { dropsiteToPublicArea } from './templates/dropsite-to-public-area.js';
import { dropsiteUploadComplete } from './templates/dropsite-upload-complete.js';
import { dropsiteUploadStarted } from './templates/dropsite-upload-started.js';
import { releaseRequest } from './templates/release-request.js';
import { s3success } from './templates/s3-success.js';
import { transcoderJobComplete } from './templates/transcoder-job-complete.js';
import { uploadComplete } from './templates/upload-complete.js';

/** Every template by its name in instructions: one for download links, and one for each event. */
export const emailTemplates = {
  downloadLink,
  uploadComplete,
  dropsiteUploadStarted,
  dropsiteUploadComplete,
  releaseRequest,
  transcoderJobComplete,
  s3success,
  dropsiteToPublicArea,
} satisfies Readonly<Record<string, EmailTemplateWriter>>;

export type EmailTemplate = keyof typeof emailTemplates;

/** The names that an instruction may use. */
export const EMAIL_TEMPLATES = Object.keys(emailTemplates) as EmailTemplate[];
