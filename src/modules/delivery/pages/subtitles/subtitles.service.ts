import { buffer } from 'node:stream/consumers';
import { Injectable } from '@nestjs/common';
import { generalErrors } from '../../../../shared/errors/index.js';
import { AcceptedObjectsService, type DeliverableItem } from '../../../media/index.js';
import { isSubtitle } from '../../media-kinds.js';

/** A hundred times the subtitles of a film; larger files are not subtitles and must not fill the memory. */
const MAX_BYTES = 10_000_000;

/** Subtitles on our own origin: browsers load them from other origins only with CORS, and cannot read SubRip. */
@Injectable()
export class SubtitlesService {
  constructor(private readonly objects: AcceptedObjectsService) {}

  /** One of the files as WebVTT. Throws `not_found`, `object_changed`. */
  async read(items: readonly DeliverableItem[], mediaId: number): Promise<string> {
    const item = items.find(({ id, fileExtension }) => id === mediaId && isSubtitle(fileExtension));
    const found = item && item.fileSize <= MAX_BYTES ? await this.objects.read(item) : null;
    if (!found) throw generalErrors.not_found('These subtitles do not exist.');
    if (found.size <= MAX_BYTES) return toWebVtt(await buffer(found.body));
    found.body.destroy();
    throw generalErrors.not_found('This file is too large for subtitles.');
  }
}

/** The time line of a SubRip cue: `00:00:01,000 --> 00:00:04,000`; some write a dot, or one digit for the hours. */
const TIMES = /^[ \t]*(\d{1,3}):(\d{2}):(\d{2})[,.](\d{1,3})[ \t]*-->[ \t]*(\d{1,3}):(\d{2}):(\d{2})[,.](\d{1,3}).*$/gm;

/** Converts subtitles to WebVTT, the only kind that browsers read. */
export function toWebVtt(content: Buffer): string {
  const text = decode(content).replace(/\r\n?/g, '\n');
  if (/^WEBVTT(?:[ \t\n]|$)/.test(text)) return text;
  return `WEBVTT\n\n${text.trimStart().replace(TIMES, cueTimes)}`;
}

function cueTimes(_line: string, ...parts: string[]): string {
  const [h1, m1, s1, f1, h2, m2, s2, f2] = parts;
  const time = (...[hours = '', minutes, seconds, fraction = '']: (string | undefined)[]) =>
    `${hours.padStart(2, '0')}:${minutes}:${seconds}.${fraction.padEnd(3, '0')}`;
  return `${time(h1, m1, s1, f1)} --> ${time(h2, m2, s2, f2)}`;
}

/** SubRip names no encoding: what is not UTF-8 or UTF-16 is most often the Western one of Windows. */
function decode(content: Buffer): string {
  const isUtf16 = content[0] === 0xff && content[1] === 0xfe;
  if (isUtf16) return new TextDecoder('utf-16le').decode(content);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(content);
  } catch {
    return new TextDecoder('windows-1252').decode(content);
  }
}
