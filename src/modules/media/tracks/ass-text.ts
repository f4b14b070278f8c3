/** Braces with codes or a comment, the codes for line ends and blanks, and text. No alternative scans further than the longest real codes. */
const TOKEN = /\{([^{}]{0,4000})\}|\\([Nnh])|[^{\\]{1,4000}|[{\\]/g;
/** Codes that begin and end a drawing (`\p1`), italics, bold and underlined text. */
const CODE = /\\([pibu])(\d{1,3})(?![\d.(])/g;
/** The beginning of a path of Windows, whose backslash is no code. */
const DRIVE = /(?:^|\W)[A-Z]:$/;
const STYLES = new Set(['i', 'b', 'u']);

/**
 * Returns the words of a text of Advanced SubStation Alpha as text of a cue: `\N` ends a line, drawings and all other codes are left out.
 * `ofProgram`: SubRip, in which programs leave such codes, but where braces without them are words and `<i>` is a tag.
 */
export function assText(text: string, { ofProgram = false } = {}): string {
  let [written, isDrawing] = ['', false];
  for (const [token, braces, code] of text.matchAll(TOKEN)) {
    if (braces !== undefined && (braces.includes('\\') || !ofProgram)) {
      for (const [, name = '', value] of braces.matchAll(CODE)) {
        if (name === 'p') isDrawing = value !== '0';
        else if (STYLES.has(name)) written += value === '0' ? `</${name}>` : `<${name}>`;
      }
    } else if (!isDrawing) {
      const isPath = ofProgram && DRIVE.test(written.slice(-3));
      if (code === undefined || isPath) written += ofProgram ? token : escapeWords(token);
      else written += code === 'h' ? '\u00a0' : '\n';
    }
  }
  return written;
}

const escapeWords = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const TIME = /^(\d{1,3}):(\d{1,2}):(\d{1,2})[.:](\d{1,3})$/;
/** The alignments of the upper third. */
const AT_TOP = /\{[^{}]{0,400}\\an[789]/;

/** The columns of an event before its text, which may contain commas itself. */
const COLUMNS = ['Layer', 'Start', 'End', 'Style', 'Name', 'MarginL', 'MarginR', 'MarginV', 'Effect'];

/** Converts a file of Advanced SubStation Alpha, as ffmpeg writes it, to WebVTT. Comments and drawings are no cues. */
export function assToWebVtt(file: string): string {
  const cues = new Map<string, number>();
  for (const line of file.split('\n')) {
    if (!line.startsWith('Dialogue:')) continue;
    const columns = line.slice('Dialogue:'.length).trim().split(',');
    const [start, end] = [readTime(columns[1]), readTime(columns[2])];
    const text = columns.slice(COLUMNS.length).join(',');
    const words = assText(text)
      .split('\n')
      .map((one) => one.trim())
      .filter((one) => one.replaceAll(/<[^<>]*>/g, '') !== '');
    if (start === null || end === null || words.length === 0) continue;
    // Programs draw shadows and borders as further events with the same text.
    cues.set(`${writeTime(start)} --> ${writeTime(end)}${AT_TOP.test(text) ? ' line:0' : ''}\n${words.join('\n')}\n`, start);
  }
  const sorted = [...cues].sort(([, one], [, other]) => one - other);
  return ['WEBVTT\n', ...sorted.map(([cue]) => cue)].join('\n');
}

function readTime(text = ''): number | null {
  const found = TIME.exec(text.trim());
  if (!found) return null;
  const [, hours, minutes, seconds, fraction = ''] = found;
  return ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'));
}

/** A time in milliseconds as WebVTT writes it. */
export function writeTime(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}.${String(ms % 1_000).padStart(3, '0')}`;
}
