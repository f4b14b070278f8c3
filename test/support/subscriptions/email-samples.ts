import type { EmailTemplate } from '../../../src/modules/subscriptions/instructions/email/email-templates.js';

/** What each template is told by its event, and by an instruction that knows everything. */
export const emailSamples: Readonly<
  Record<EmailTemplate, { readonly payload: Record<string, unknown>; readonly parameters: Record<string, unknown> }>
> = {
  downloadLink: {
    payload: { mediaContainerId: 12, mediaId: 34, customerId: 1 },
    parameters: {
      url: 'https://media.example.org/l/b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11',
      title: 'Summer party',
      fileCount: 3,
      expiresAt: 1_770_127_500,
      senderName: 'Ada Lovelace',
      message: 'The pictures of Friday.\nPlease choose ten.',
    },
  },
  uploadComplete: {
    payload: { uploadId: '0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10', mediaContainerIds: [12, 13, 14], mediaContainerId: 12, dropsiteId: 5 },
    parameters: { dropsiteName: 'Press photos', url: 'https://media.example.org/uploads/1' },
  },
  dropsiteUploadStarted: {
    payload: {
      uploadId: '0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10',
      link: 'press',
      dropsiteId: 5,
      ownerId: 7,
      duration: 7_505,
      totalSize: 1_234_000_000,
      items: 3,
    },
    parameters: { dropsiteName: 'Press photos' },
  },
  dropsiteUploadComplete: {
    payload: {
      uploadId: '0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10',
      link: 'press',
      dropsiteId: 5,
      mediaContainerIds: [12],
      email: 'grace@example.org',
    },
    parameters: { dropsiteName: 'Press photos', url: 'https://media.example.org/dropsites/5' },
  },
  releaseRequest: {
    payload: { mediaContainerId: 12, requesterId: 7, message: 'We need it for the front page.\nToday, please.' },
    parameters: { title: 'At the river', requesterName: 'Grace Hopper', url: 'https://media.example.org/release/12' },
  },
  transcoderJobComplete: {
    payload: { jobId: '0c6a7a0e-3d0b-4c55-a8ee-6a1d1e6c2f10', mediaContainerId: 12, mediaId: 34, formatId: 3, status: 'failed' },
    parameters: { title: 'At the river', formatName: 'Web, 1080p' },
  },
  s3success: { payload: { mediaContainerId: 12, mediaId: 34, customerId: 1 }, parameters: { title: 'At the river' } },
  dropsiteToPublicArea: {
    payload: { dropsiteId: 5, publicAreaIds: [1, 2], mediaContainerIds: [12, 13] },
    parameters: { dropsiteName: 'Press photos' },
  },
};
