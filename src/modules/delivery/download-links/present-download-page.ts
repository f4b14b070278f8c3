import { describeBytes } from '../../../shared/web/index.js';
import type { TextTrackRole } from '../../media/index.js';
import { fixedPreviewImage } from '../pages/preview/preview-images.service.js';
import type { Offer, OfferedContainer, OfferedFile, OfferedTrack } from './offer-files.js';

/** The data of download-page.eta. Names come from the uploader; the template escapes them. */
export interface DownloadPage {
  readonly title: string;
  /** The summary of the files on this page: `3 files, 12.5 MB`. */
  readonly summary: string;
  /** The end of the link; empty: there is none. */
  readonly until: string;
  readonly containers: readonly DownloadPageContainer[];
  /** The address of the first page; empty on the first page. */
  readonly firstUrl: string;
  /** The address of the next page; empty on the last page. */
  readonly nextUrl: string;
  /** The address of all files as one archive; empty if there is only one. */
  readonly archiveUrl: string;
  readonly stylesheet: string;
}

interface DownloadPageContainer {
  /** Null: the title of the page says it. */
  readonly name: string | null;
  /** A preview, or the default picture for its kind of file. */
  readonly picture: string;
  readonly files: readonly DownloadPageFile[];
}

interface DownloadPageFile {
  /** The file name with its extension; null: the file has not been made. */
  readonly name: string | null;
  /** Whether the name differs from that of the container, so that it tells something. */
  readonly hasOwnName: boolean;
  /** The state of a file that has not been made. */
  readonly state: { readonly text: string; readonly isFailed: boolean } | null;
  readonly format: string;
  /** The facts about the file: `MP4, 1920 × 1080, 1 min 30 s, 12.5 MB`. */
  readonly facts: string;
  readonly url: string;
}

type Shown = Pick<DownloadPage, 'title' | 'summary' | 'archiveUrl' | 'containers' | 'firstUrl' | 'nextUrl'>;

interface Presentation {
  /** Where the default pictures are. */
  readonly cdnUrl: string;
  readonly isFirst: boolean;
}

const UNTITLED = 'Files for you';

/** A page of a download link as visitors see it. */
export function presentOffer({ link, containers, next }: Offer, { cdnUrl, isFirst }: Presentation): Shown {
  const items = containers.flatMap(({ files, tracks }) => [...files.flatMap(({ item }) => item ?? []), ...tracks]);
  const size = items.reduce((sum, { fileSize }) => sum + fileSize, 0);
  const onThisPage = isFirst && next === null ? '' : ' on this page';
  const [only] = onThisPage === '' || link.mediaContainerIds.length === 1 ? containers : [];
  const title = link.title || (containers.length === 1 && only ? only.container.name : UNTITLED);
  return {
    title,
    summary: items.length === 0 ? '' : `${items.length === 1 ? '1 file' : `${items.length} files`}${onThisPage}, ${describeBytes(size)}`,
    archiveUrl: items.length > 1 || onThisPage !== '' ? `/l/${link.link}/archive` : '',
    firstUrl: isFirst ? '' : `/l/${link.link}`,
    nextUrl: next === null ? '' : `/l/${link.link}?from=${next.container}.${next.file}`,
    containers: containers.map((container) => ({
      name: container.container.name === title && containers.length === 1 ? null : container.container.name,
      picture: pictureOf(link.link, container, cdnUrl),
      files: [
        ...container.files.map((file) => presentFile(link.link, file, container.container.name)),
        ...container.tracks.map((track) => presentTrack(link.link, track)),
      ],
    })),
  };
}

function pictureOf(link: string, { container, preview, files }: OfferedContainer, cdnUrl: string): string {
  if (preview) return `/l/${link}/pictures/${container.id}`;
  return fixedPreviewImage(cdnUrl, files.find(({ item }) => item !== null)?.item?.fileExtension ?? '');
}

function presentFile(link: string, { format, item, transcoding }: OfferedFile, containerName: string): DownloadPageFile {
  if (!item) return { name: null, hasOwnName: false, state: presentState(transcoding), format: format.name, facts: '', url: '' };
  const { id, fileName, fileExtension, width, height, duration, fileSize } = item;
  const dimensions = width && height ? `${width}\u00a0×\u00a0${height}` : '';
  return {
    name: fileExtension ? `${fileName}.${fileExtension}` : fileName,
    hasOwnName: fileName !== containerName,
    state: null,
    format: format.name,
    facts: [fileExtension.toUpperCase(), dimensions, describeDuration(duration), describeBytes(fileSize)]
      .filter((fact) => fact !== '')
      .join(', '),
    url: `/l/${link}/${id}`,
  };
}

function presentTrack(link: string, { id, fileName, fileExtension, fileSize, role, label }: OfferedTrack): DownloadPageFile {
  const facts = `${fileExtension.toUpperCase()}, ${describeBytes(fileSize)}`;
  return {
    name: `${fileName}.${fileExtension}`,
    hasOwnName: false, // its role and language say more
    state: null,
    format: `${TRACKS[role]}: ${label}`,
    facts,
    url: `/l/${link}/${id}`,
  };
}

/** Formats seconds for people: `45 s`, `4 min 5 s`, `1 h 2 min`; empty for files that do not play. */
function describeDuration(seconds: number | null): string {
  if (!seconds) return '';
  const whole = Math.max(1, Math.round(seconds));
  const [hours, minutes] = [Math.floor(whole / 3_600), Math.floor((whole % 3_600) / 60)];
  const parts =
    hours > 0 ? [`${hours} h`, minutes > 0 && `${minutes} min`] : [minutes > 0 && `${minutes} min`, whole % 60 > 0 && `${whole % 60} s`];
  return parts.filter(Boolean).join(' ').replaceAll(' ', '\u00a0');
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
