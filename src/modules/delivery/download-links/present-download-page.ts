import { describeBytes } from '../../../shared/web/index.js';
import type { TextTrackRole } from '../../media/index.js';
import type { Offer, OfferedContainer, OfferedFile, OfferedTrack } from './download-offers.service.js';

/** The data of download-page.eta. Names come from the uploader; the template escapes them. */
export interface DownloadPage {
  readonly title: string;
  /** The summary: `3 files, 12.5 MB`. */
  readonly summary: string;
  /** The end of the link; empty: there is none. */
  readonly until: string;
  readonly containers: readonly DownloadPageContainer[];
  /** The number of files that can be downloaded now. */
  readonly count: number;
  readonly stylesheet: string;
  readonly script: string;
}

interface DownloadPageContainer {
  readonly name: string;
  /** A preview, or the default picture for its kind of file. */
  readonly picture: string;
  readonly files: readonly DownloadPageFile[];
}

interface DownloadPageFile {
  /** The file name with its extension; null: the file has not been made. */
  readonly name: string | null;
  /** The state of a file that has not been made. */
  readonly state: { readonly text: string; readonly isFailed: boolean } | null;
  readonly format: string;
  /** The facts about the file: `MP4, 1920 × 1080, 12.5 MB`. */
  readonly facts: string;
  readonly url: string;
}

type Shown = Pick<DownloadPage, 'title' | 'summary' | 'count' | 'containers'>;

const UNTITLED = 'Files for you';

/** A download link as visitors see it; `pictureOf` returns the URL of the picture of a container. */
export function presentOffer({ link, containers }: Offer, pictureOf: (container: OfferedContainer) => string): Shown {
  const shown = containers.filter(({ files }) => files.length > 0);
  const items = shown.flatMap(({ files, tracks }) => [...files.flatMap(({ item }) => item ?? []), ...tracks]);
  const size = items.reduce((sum, { fileSize }) => sum + fileSize, 0);
  return {
    title: link.title || (shown.length === 1 && shown[0] ? shown[0].container.name : UNTITLED),
    summary: items.length === 0 ? '' : `${items.length === 1 ? '1 file' : `${items.length} files`}, ${describeBytes(size)}`,
    count: items.length,
    containers: shown.map((container) => ({
      name: container.container.name,
      picture: pictureOf(container),
      files: [
        ...container.files.map((file) => presentFile(link.link, file)),
        ...container.tracks.map((track) => presentTrack(link.link, track)),
      ],
    })),
  };
}

function presentFile(link: string, { format, item, transcoding }: OfferedFile) {
  if (!item) return { name: null, state: presentState(transcoding), format: format.name, facts: '', url: '' };
  const { id, fileName, fileExtension, width, height, fileSize } = item;
  const dimensions = width && height ? `${width}\u00a0×\u00a0${height}` : '';
  return {
    name: fileExtension ? `${fileName}.${fileExtension}` : fileName,
    state: null,
    format: format.name,
    facts: [fileExtension.toUpperCase(), dimensions, describeBytes(fileSize)].filter((fact) => fact !== '').join(', '),
    url: `/l/${link}/${id}`,
  };
}

function presentTrack(link: string, { id, fileName, fileExtension, fileSize, role, label }: OfferedTrack): DownloadPageFile {
  const facts = `${fileExtension.toUpperCase()}, ${describeBytes(fileSize)}`;
  return {
    name: `${fileName}.${fileExtension}`,
    state: null,
    format: `${TRACKS[role]}: ${label}`,
    facts,
    url: `/l/${link}/${id}`,
  };
}

const TRACKS: Readonly<Record<TextTrackRole, string>> = {
  subtitles: 'Subtitles',
  captions: 'Captions',
  descriptions: 'Descriptions',
  chapters: 'Chapters',
};

const LATER = 'Reload this page later.';

/** The state of a file that has not been made, as a sentence for visitors. */
function presentState(transcoding: OfferedFile['transcoding']) {
  if (transcoding?.status === 'failed') return { text: `Failed. ${transcoding.reason}`, isFailed: true };
  if (transcoding?.status !== 'running') return { text: 'This file has not been made.', isFailed: false };
  const text = transcoding.progress === 0 ? 'Waiting to be prepared.' : `Being prepared: ${transcoding.progress}\u00a0%.`;
  return { text: `${text} ${LATER}`, isFailed: false };
}
