import { assText, writeTime } from './ass-text.js';
import { cueText } from './cue-text.js';
import { decodeText } from './decode-text.js';

/** Why a file is not WebVTT or SubRip. */
export interface TrackProblem {
  /** The first invalid line, from 1; 0: the file as a whole. */
  readonly line: number;
  readonly message: string;
}

/** A text track as WebVTT. */
export interface ConvertedTrack {
  /** Without the parts that could not be read. */
  readonly text: string;
  /** The first problem; null: the whole file could be read. */
  readonly problem: TrackProblem | null;
}

/** Maximum length of a cue; the longest in films have several hundred characters. */
const MAX_CHARACTERS = 250_000;
/** Maximum number of simultaneous cues: more would cover the picture, and thousands would freeze the page of a player. */
const MAX_SIMULTANEOUS = 100;
/**
 * Number of previous cues with which each cue is compared: simultaneous cues are close to each other in a file, and comparing all would take too
 * long.
 */
const COMPARED = 512;
/** Maximum number of lines of a style sheet or region; longer ones are omitted. */
const MAX_BLOCK_LINES = 256;

/**
 * Hours and fraction are optional; SubRip uses a decimal comma, and some programs omit blanks. With the flag `s` the settings may contain U+2028, at
 * which the pattern would otherwise try each blank before it in turn.
 */
const TIMES =
  /^[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3})\d{0,6})?[ \t]*-->[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3})\d{0,6})?(?:[ \t]+(.*))?$/s;
const SETTING =
  /^(?:vertical:(?:rl|lr)|line:-?\d{1,6}(?:\.\d{1,6})?%?(?:,(?:start|center|end))?|position:\d{1,3}(?:\.\d{1,6})?%(?:,(?:line-left|center|line-right))?|size:\d{1,3}(?:\.\d{1,6})?%|align:(?:start|center|end|left|right)|region:[\w.-]{1,64})$/;
const REGION_SETTING =
  /^(?:id:[\w.-]{1,64}|width:\d{1,3}(?:\.\d{1,6})?%|lines:\d{1,3}|(?:regionanchor|viewportanchor):\d{1,3}(?:\.\d{1,6})?%,\d{1,3}(?:\.\d{1,6})?%|scroll:up)$/;
/** Cue identifiers that cannot be mistaken for anything else. */
const IDENTIFIER = /^[\p{L}\p{N}_ .:#-]{1,100}$/u;
/** Parts of a style sheet that could load a resource, or end the element that contains it. */
const UNSAFE_STYLE = /[@\\<]|url|src\s*\(|image|expression/i;
/** A code of Advanced SubStation Alpha that programs leave in SubRip: `{\an8}` places the text at the top. */
const AT_TOP = /\{\\an[789]\}/;

interface Cue {
  readonly id: string | null;
  /** Milliseconds. */
  readonly start: number;
  readonly end: number;
  readonly settings: string;
  /** The lines of its text; null: the cue is left out. */
  readonly lines: string[] | null;
}

/**
 * Converts WebVTT or SubRip to WebVTT that contains only known, harmless parts. Omits cues without a duration, and simultaneous cues beyond
 * MAX_SIMULTANEOUS. Takes linear time. `language`: the tag of its language, which helps to find the encoding; null: unknown.
 */
export function convertTextTrack(content: Buffer, language: string | null = null): ConvertedTrack {
  const decoded = decodeText(content, language);
  const text = decoded.text.replace(/^\ufeff/, '');
  const reader = /^WEBVTT(?:[ \t\n]|$)/.test(text.slice(0, 7)) ? new WebVttReader() : new SubRipReader();
  let number = 0;
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end === -1 ? text.length : end);
    at += line.length + 1;
    number += 1;
    reader.read(line, number);
  }
  reader.end(number);
  const unreadable = decoded.unreadableLine === null ? null : { line: decoded.unreadableLine, message: UNREADABLE };
  return { text: reader.blocks.join('\n'), problem: unreadable ?? reader.problem };
}

const UNREADABLE = 'The characters of this line cannot be read in the language of the track. Save the file as UTF-8 and upload it again.';

/** Collects the cues that the readers of both formats find. */
abstract class TrackReader {
  /** Whether there was a cue, even one that is omitted. */
  protected hasCues = false;
  /** The parts of the result; an empty line separates them. */
  readonly blocks: string[] = ['WEBVTT\n'];
  problem: TrackProblem | null = null;
  protected cue: Cue | null = null;
  private characters = 0;
  /** The last cues that were written. */
  private readonly recent: Pick<Cue, 'start' | 'end'>[] = [];
  private written = 0;
  /** The line of the first cue that does not end after it begins; null: all cues do. */
  private reversed: number | null = null;

  abstract read(line: string, number: number): void;

  /** Ends the reading at the last line. */
  end(number: number): void {
    if (!this.hasCues) this.report(number, 'The file has no cues.');
    else if (this.written === 0 && this.reversed !== null) this.report(this.reversed, 'Every cue has to end after it begins.');
  }

  /** Starts a cue at the line with its times. A cue with unreadable times is omitted, including its text. */
  protected startCue(line: string, number: number, id: string | null): void {
    const times = readTimes(line);
    this.hasCues = true;
    if (!times) this.report(number, 'The times of a cue must look like 00:01:02.000 --> 00:01:05.000.');
    else if (times.end <= times.start) this.reversed ??= number;
    this.cue = { id, start: 0, end: 0, settings: '', ...times, lines: times && times.end > times.start ? [] : null };
    this.characters = 0;
  }

  protected addText(line: string, number: number): void {
    if (!this.cue?.lines || (line.trim() === '' && this.cue.lines.at(-1)?.trim() === '')) return; // one empty line is kept of several
    this.characters += line.length;
    if (this.characters <= MAX_CHARACTERS) return void this.cue.lines.push(line);
    this.report(number, `A cue may have at most ${MAX_CHARACTERS} characters.`);
    this.cue = { ...this.cue, lines: null };
  }

  protected writeCue(convert = (text: string): string => text): void {
    const { cue } = this;
    this.cue = null;
    if (!cue?.lines || cue.lines.length === 0) return;
    const text = cueText(convert(cue.lines.filter((line) => line.trim() !== '').join('\n')));
    if (text.trim() === '' || this.isCrowded(cue)) return;
    this.recent[this.written % COMPARED] = { start: cue.start, end: cue.end };
    this.written += 1;
    const times = `${writeTime(cue.start)} --> ${writeTime(cue.end)}${cue.settings}`;
    this.blocks.push(
      `${cue.id !== null && IDENTIFIER.test(cue.id) ? `${cue.id}\n` : ''}${times}\n${text.replace(/\n{2,}/g, '\n').trim()}\n`,
    );
  }

  private isCrowded({ start, end }: Cue): boolean {
    let simultaneous = 0;
    for (const other of this.recent) if (other.start < end && start < other.end) simultaneous += 1;
    return simultaneous >= MAX_SIMULTANEOUS;
  }

  protected report(line: number, message: string): void {
    this.problem ??= { line, message };
  }
}

type Block = 'header' | 'between' | 'identifier' | 'cue' | 'note' | 'style' | 'region' | 'other';

/** Reads WebVTT: blocks that are separated by empty lines (WebVTT section 6). */
class WebVttReader extends TrackReader {
  private block: Block = 'header';
  /** The lines of the current block. */
  private lines: string[] = [];

  read(line: string, number: number): void {
    if (this.block !== 'note' && line.includes('-->')) {
      this.endBlock();
      this.startCue(line, number, this.block === 'identifier' ? (this.lines[0] ?? null) : null);
      this.block = 'cue';
    } else if (line.trim() === '') {
      this.endBlock();
      this.block = 'between';
    } else if (this.block === 'cue') {
      this.addText(line, number);
    } else if (STARTS_WITH_TIME.test(line) && ['between', 'identifier', 'other'].includes(this.block)) {
      this.startCue(line, number, null); // its times cannot be read, because they have no arrow
      this.block = 'cue';
    } else if (this.block === 'between') {
      this.block = blockOf(line);
      this.lines = [line];
    } else if (this.block === 'identifier') {
      this.block = 'other';
    } else if (this.block === 'style' || this.block === 'region') {
      this.lines.push(line);
    }
  }

  override end(number: number): void {
    this.endBlock();
    super.end(number);
  }

  /** Ends a block. Styles and regions are valid only before the first cue. */
  private endBlock(): void {
    this.writeCue();
    const isUsed = !this.hasCues && this.lines.length <= MAX_BLOCK_LINES;
    if (isUsed && this.block === 'style' && !UNSAFE_STYLE.test(this.lines.join('\n'))) this.blocks.push(`${this.lines.join('\n')}\n`);
    if (isUsed && this.block === 'region')
      this.blocks.push(`${['REGION', ...settingsOf(this.lines.slice(1).join(' '), REGION_SETTING)].join('\n')}\n`);
  }
}

function blockOf(line: string): Block {
  if (/^NOTE(?:[ \t]|$)/.test(line)) return 'note';
  if (/^STYLE[ \t]*$/.test(line)) return 'style';
  return /^REGION[ \t]*$/.test(line) ? 'region' : 'identifier';
}

/** Reads SubRip: cues that start with a number and their times; the empty lines around both may be missing. */
class SubRipReader extends TrackReader {
  /** The previous line, and the one before it. */
  private last = '';
  private beforeLast = '';
  /** The number of the current cue. */
  private cueNumber = 0;

  read(line: string, number: number): void {
    const isNumbered = NUMBER.test(this.last);
    if (isMeantAsTimes(line) || (isNumbered && this.isNextCue(line))) {
      if (isNumbered) this.cue?.lines?.pop();
      this.writeCue();
      this.startCue(line, number, isNumbered ? this.last.trim() : null);
      this.cueNumber = isNumbered ? Number(this.last) : this.cueNumber + 1;
    } else if (this.hasCues) {
      this.addText(line, number);
    } else if (line.trim() !== '' && !NUMBER.test(line)) {
      this.report(number, 'A file starts with the line WEBVTT (WebVTT), or with the number or the times of a cue (SubRip).');
    }
    this.beforeLast = this.last;
    this.last = line;
  }

  override end(number: number): void {
    const { lines = null } = this.cue ?? {};
    while (lines?.at(-1)?.trim() === '') lines.pop();
    if (lines && NUMBER.test(lines.at(-1) ?? '') && lines.at(-2)?.trim() === '') lines.pop(); // the number of a missing cue
    this.writeCue();
    super.end(number);
  }

  /** Whether a line must contain times, whatever is there, because the next cue starts with the number before it. */
  private isNextCue(line: string): boolean {
    return this.hasCues && this.beforeLast.trim() === '' && line.trim() !== '' && Number(this.last) === this.cueNumber + 1;
  }

  protected override writeCue(convert = withoutMarks): void {
    if (this.cue?.lines?.some((line) => AT_TOP.test(line))) this.cue = { ...this.cue, settings: ' line:0' };
    super.writeCue(convert);
  }
}

/** Whether a line is meant to contain times: with the arrow, or with something else in its place. An arrow in a text follows no time. */
const isMeantAsTimes = (line: string): boolean =>
  (line.includes('-->') ? /^[ \t]*(?:\d|\S{0,16}:\d\S{0,16}[ \t]*-->)/ : OTHER_ARROW).test(line);

/** `->`, `-- >`, `→`, `=>`, `--&gt;` or a dash between times. */
const OTHER_ARROW =
  /^[ \t]*(?:\d{1,4}:)?\d{1,2}:\d{1,2}[\d.,]{0,10}[ \t]*(?:-{1,3}[ \t]?>|[–—=]>|→|--&gt;|[-–—]{1,3}[ \t]*\d{1,2}:\d{1,2}:)/;
/** A time with a fraction or with hours, at the start of a line that is not part of a cue. */
const STARTS_WITH_TIME = /^[ \t]*\d{1,4}:\d{1,2}[.,:]\d/;

const NUMBER = /^[ \t]*\d{1,10}[ \t]*$/;

const withoutMarks = (text: string): string => assText(text, { ofProgram: true });

function readTimes(line: string): Pick<Cue, 'start' | 'end' | 'settings'> | null {
  const found = TIMES.exec(line);
  if (!found) return null;
  const [, h1, m1, s1, f1, h2, m2, s2, f2, rest = ''] = found;
  const settings = rest === '' ? [] : settingsOf(rest.replace('align:middle', 'align:center'), SETTING);
  return { start: toMs(h1, m1, s1, f1), end: toMs(h2, m2, s2, f2), settings: settings.map((setting) => ` ${setting}`).join('') };
}

const toMs = (...[hours = '0', minutes, seconds, fraction = '']: (string | undefined)[]): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'));

/** Returns the settings that WebVTT defines. */
const settingsOf = (text: string, known: RegExp): string[] =>
  text
    .slice(0, 1_000)
    .split(/\s+/)
    .filter((setting) => known.test(setting));
