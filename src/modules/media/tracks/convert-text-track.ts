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
  /** Its text in portions, without the parts that could not be read. */
  readonly portions: readonly string[];
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
/** Lines per step, and cues per portion. */
const STEP = 256;
/** A line of this many characters is a separate step, and such a cue a separate portion. */
const LONG = 16_384;

/** Hours and fraction are optional; SubRip uses a decimal comma, and some programs omit blanks. */
const TIMES =
  /^[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3})\d{0,6})?[ \t]*-->[ \t]*(?:(\d{1,4}):)?(\d{1,2}):(\d{1,2})(?:[.,](\d{1,3})\d{0,6})?(?:[ \t]+(.*))?$/;
const SETTING =
  /^(?:vertical:(?:rl|lr)|line:-?\d{1,6}(?:\.\d{1,6})?%?(?:,(?:start|center|end))?|position:\d{1,3}(?:\.\d{1,6})?%(?:,(?:line-left|center|line-right))?|size:\d{1,3}(?:\.\d{1,6})?%|align:(?:start|center|end|left|right)|region:[\w.-]{1,64})$/;
const REGION_SETTING =
  /^(?:id:[\w.-]{1,64}|width:\d{1,3}(?:\.\d{1,6})?%|lines:\d{1,3}|(?:regionanchor|viewportanchor):\d{1,3}(?:\.\d{1,6})?%,\d{1,3}(?:\.\d{1,6})?%|scroll:up)$/;
/** Cue identifiers that cannot be mistaken for anything else. */
const IDENTIFIER = /^[\p{L}\p{N}_ .:#-]{1,100}$/u;
/** Parts of a style sheet that could load a resource, or end the element that contains it. */
const UNSAFE_STYLE = /[@\\<]|url|src\s*\(|image|expression/i;
/** Codes of Advanced SubStation Alpha that programs leave in SubRip: `{\an8}` places the text at the top. */
const MARKS = /\{\\[^{}]{0,200}\}/g;
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
 * MAX_SIMULTANEOUS. Takes linear time, and yields after every few lines (`inTurns`).
 */
export function* convertTextTrack(content: Buffer): Generator<void, ConvertedTrack> {
  const text = (yield* decodeText(content)).replace(/^\ufeff/, '');
  const reader = /^WEBVTT(?:[ \t\n]|$)/.test(text.slice(0, 7)) ? new WebVttReader() : new SubRipReader();
  let number = 0;
  for (let at = 0; at <= text.length; ) {
    const end = text.indexOf('\n', at);
    const line = text.slice(at, end === -1 ? text.length : end);
    at += line.length + 1;
    number += 1;
    if (number % STEP === 0 || line.length > LONG) yield;
    yield* reader.read(line, number);
  }
  yield* reader.end(number);
  return { portions: reader.output.end(), problem: reader.problem };
}

/** Collects the cues that the readers of both formats find. */
abstract class TrackReader {
  readonly output = new TrackOutput();
  problem: TrackProblem | null = null;
  protected cue: Cue | null = null;
  private characters = 0;
  /** The last cues that were written. */
  private readonly recent: Pick<Cue, 'start' | 'end'>[] = [];
  private written = 0;

  abstract read(line: string, number: number): Generator<void>;
  abstract end(number: number): Generator<void>;

  /** Starts a cue at the line with its times. A cue with unreadable times is omitted, including its text. */
  protected startCue(line: string, number: number, id: string | null): void {
    const times = readTimes(line);
    if (!times) this.report(number, 'The times of a cue must look like 00:01:02.000 --> 00:01:05.000.');
    this.cue = { id, start: 0, end: 0, settings: '', ...times, lines: times && times.end > times.start ? [] : null };
    this.characters = 0;
  }

  protected addText(line: string, number: number): void {
    if (!this.cue?.lines) return;
    this.characters += line.length;
    if (this.characters <= MAX_CHARACTERS) return void this.cue.lines.push(line);
    this.report(number, `A cue may have at most ${MAX_CHARACTERS} characters.`);
    this.cue = { ...this.cue, lines: null };
  }

  protected *writeCue(convert = (text: string): string => text): Generator<void> {
    const { cue } = this;
    this.cue = null;
    if (!cue?.lines) return;
    const text = yield* cueText(convert(cue.lines.filter((line) => line.trim() !== '').join('\n')));
    if (text.trim() === '' || this.isCrowded(cue)) return;
    this.recent[this.written % COMPARED] = { start: cue.start, end: cue.end };
    this.written += 1;
    const times = `${writeTime(cue.start)} --> ${writeTime(cue.end)}${cue.settings}`;
    this.output.add(`${cue.id !== null && IDENTIFIER.test(cue.id) ? `${cue.id}\n` : ''}${times}\n${text.replace(/\n{2,}/g, '\n').trim()}`);
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
  private hasCues = false;

  *read(line: string, number: number): Generator<void> {
    if (this.block !== 'note' && line.includes('-->')) {
      yield* this.endBlock();
      this.startCue(line, number, this.block === 'identifier' ? (this.lines[0] ?? null) : null);
      this.block = 'cue';
      this.hasCues = true;
    } else if (line.trim() === '') {
      yield* this.endBlock();
      this.block = 'between';
    } else if (this.block === 'cue') {
      this.addText(line, number);
    } else if (this.block === 'between') {
      this.block = blockOf(line);
      this.lines = [line];
    } else if (this.block === 'identifier') {
      this.block = 'other';
    } else if (this.block === 'style' || this.block === 'region') {
      this.lines.push(line);
    }
  }

  *end(): Generator<void> {
    yield* this.endBlock();
  }

  /** Ends a block. Styles and regions are valid only before the first cue. */
  private *endBlock(): Generator<void> {
    yield* this.writeCue();
    const isUsed = !this.hasCues && this.lines.length <= STEP;
    if (isUsed && this.block === 'style' && !UNSAFE_STYLE.test(this.lines.join('\n'))) this.output.add(this.lines.join('\n'));
    if (isUsed && this.block === 'region')
      this.output.add(['REGION', ...settingsOf(this.lines.slice(1).join(' '), REGION_SETTING)].join('\n'));
  }
}

function blockOf(line: string): Block {
  if (/^NOTE(?:[ \t]|$)/.test(line)) return 'note';
  if (/^STYLE[ \t]*$/.test(line)) return 'style';
  return /^REGION[ \t]*$/.test(line) ? 'region' : 'identifier';
}

/** Reads SubRip: cues that start with a number and their times; the empty lines around both may be missing. */
class SubRipReader extends TrackReader {
  /** The previous line. */
  private last = '';
  private hasCues = false;

  *read(line: string, number: number): Generator<void> {
    if (isMeantAsTimes(line)) {
      const isNumbered = NUMBER.test(this.last);
      if (isNumbered) this.cue?.lines?.pop();
      yield* this.writeCue();
      this.startCue(line, number, isNumbered ? this.last.trim() : null);
      this.hasCues = true;
    } else if (this.hasCues) {
      this.addText(line, number);
    } else if (line.trim() !== '' && !NUMBER.test(line)) {
      this.report(number, 'A file starts with the line WEBVTT (WebVTT), or with the number or the times of a cue (SubRip).');
    }
    this.last = line;
  }

  *end(number: number): Generator<void> {
    if (!this.hasCues) this.report(number, 'The file has no cues.');
    const { lines = null } = this.cue ?? {};
    while (lines?.at(-1)?.trim() === '') lines.pop();
    if (lines && NUMBER.test(lines.at(-1) ?? '') && lines.at(-2)?.trim() === '') lines.pop(); // the number of a missing cue
    yield* this.writeCue();
  }

  protected override *writeCue(convert = withoutMarks): Generator<void> {
    if (this.cue?.lines?.some((line) => AT_TOP.test(line))) this.cue = { ...this.cue, settings: ' line:0' };
    yield* super.writeCue(convert);
  }
}

/** Whether a line is meant to contain times: with a long arrow, or mistakenly a short one; an arrow in a text follows no number. */
const isMeantAsTimes = (line: string): boolean =>
  line.includes('-->') ? /^[ \t]*\d/.test(line) : /^[ \t]*(?:\d{1,4}:)?\d{1,2}:\d{1,2}[\d.,]{0,10}[ \t]*->/.test(line);

const NUMBER = /^[ \t]*\d{1,10}[ \t]*$/;

const withoutMarks = (text: string): string => text.replace(MARKS, '');

function readTimes(line: string): Pick<Cue, 'start' | 'end' | 'settings'> | null {
  const found = TIMES.exec(line);
  if (!found) return null;
  const [, h1, m1, s1, f1, h2, m2, s2, f2, rest = ''] = found;
  const settings = settingsOf(rest.replace('align:middle', 'align:center'), SETTING);
  return { start: toMs(h1, m1, s1, f1), end: toMs(h2, m2, s2, f2), settings: settings.map((setting) => ` ${setting}`).join('') };
}

const toMs = (...[hours = '0', minutes, seconds, fraction = '']: (string | undefined)[]): number =>
  ((Number(hours) * 60 + Number(minutes)) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'));

function writeTime(ms: number): string {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  return `${two(ms / 3_600_000)}:${two((ms / 60_000) % 60)}:${two((ms / 1_000) % 60)}.${String(ms % 1_000).padStart(3, '0')}`;
}

/** Returns the settings that WebVTT defines. */
const settingsOf = (text: string, known: RegExp): string[] =>
  text
    .slice(0, 1_000)
    .split(/\s+/)
    .filter((setting) => known.test(setting));

/** Joins blocks of WebVTT to portions. */
class TrackOutput {
  private readonly portions: string[] = ['WEBVTT\n'];
  private blocks: string[] = [];

  add(block: string): void {
    this.blocks.push(`\n${block}\n`);
    if (this.blocks.length >= STEP || block.length > LONG) this.flush();
  }

  end(): readonly string[] {
    this.flush();
    return this.portions;
  }

  private flush(): void {
    if (this.blocks.length > 0) this.portions.push(this.blocks.join(''));
    this.blocks = [];
  }
}
