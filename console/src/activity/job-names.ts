import type { components } from '@media-delivery/sdk';

type JobType = components['schemas']['ActivityResponse']['type'];

/** What people call the kinds of jobs, for the messages of pages. */
export const JOB_NAMES = {
  en: {
    upload: 'Upload',
    transcoding: 'Rendition',
    formatDestruction: 'Removal of a format',
    trackExtraction: 'Subtitles from the file',
  },
  de: {
    upload: 'Upload',
    transcoding: 'Fassung',
    formatDestruction: 'Löschen eines Formats',
    trackExtraction: 'Untertitel aus der Datei',
  },
} satisfies Record<'en' | 'de', Record<JobType, string>>;
