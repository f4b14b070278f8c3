import { defineRule } from './delivery-rule.js';

/** `formats`: the configuration has to deliver the requested format, and for a download the format has to be downloadable. */
export const formatsRule = defineRule({
  name: 'formats',
  combination: 'required',
  scope: 'file',
  denials: {
    not_downloadable: {
      meaning: 'The format can be played, but may not be downloaded.',
      viewerText: 'This cannot be downloaded.',
    },
    format_not_in_configuration: {
      meaning: 'The player configuration does not deliver this format.',
      viewerText: 'This format is not available through this link.',
    },
  },
  /** Whether each format may be downloaded. */
  readSetting: ({ formats }): ReadonlyMap<number, boolean> => new Map(formats.map((one) => [one.formatId, one.downloadable])),
  findDenial: (formats, { formatId, download }) => {
    if (formatId === undefined) return hasDownloadable(formats) ? null : 'not_downloadable';
    const downloadable = formats.get(formatId);
    if (downloadable === undefined) return 'format_not_in_configuration';
    return download && !downloadable ? 'not_downloadable' : null;
  },
  notSetText: 'The request does not name a format.',
  explain: (formats, { formatId, download }) => {
    if (formatId === undefined)
      return `The configuration ${hasDownloadable(formats) ? 'has a' : 'does not have any'} format that may be downloaded.`;
    const downloadable = formats.get(formatId);
    if (downloadable === undefined) return `The configuration does not deliver the format ${formatId}.`;
    const may = downloadable ? 'may be downloaded' : 'may not be downloaded';
    return `The configuration delivers the format ${formatId}${download ? `, which ${may}` : ''}.`;
  },
});

const hasDownloadable = (formats: ReadonlyMap<number, boolean>): boolean => [...formats.values()].includes(true);
