import type { FieldProblem } from '../../../shared/errors.js';
import type { ContainerType, MediaType, StoryboardFacts } from '../../media/index.js';
import type { BurnTimecode, FormatSettings } from '../format-settings.dto.js';
import type { Parameters } from '../format-settings.js';

/** The file names of a converter's inputs. They have no extension, so that programs rely only on the content and on their options. */
export const SOURCE = 'input';
export const WATERMARK = 'watermark';
export const AUDIO_WATERMARK = 'audio-watermark';

/** The programs that converters start, apart from the operator's tools. */
export type ProgramName = 'ffmpeg' | 'ffprobe' | 'convert' | 'soffice' | 'pdfinfo' | 'pdftoppm' | 'exiftool' | 'heif-convert' | 'sharp';

/** One run of a program, without a shell, in the folder of the transcoding. All file names in it are relative to that folder. */
export interface Step {
  readonly program: ProgramName | { readonly tool: string };
  readonly argv: readonly string[];
  /** Arguments that precede these and depend on a file that an earlier step wrote. */
  readonly leading?: { readonly file: string; readonly argv: (written: string) => readonly string[] };
  /** The file for its standard output; null: the output is not needed. */
  readonly stdout: string | null;
  /** The file that it must write; absent: its exit code says whether it succeeded. */
  readonly makes?: string;
  /** Why it runs, for people; absent: its program is the usual one. */
  readonly reason?: string;
}

/** A text file that is written into the folder before the first step; its name may contain folders, which are created. */
export interface TextFile {
  readonly name: string;
  readonly content: string;
}

/** The names that the inputs must have in the folder. */
export interface InputNames {
  readonly source: string;
  readonly watermark: string | null;
  readonly audioWatermark: string | null;
}

/**
 * What has to be done to make a format of a source:
 * - `run`: put the inputs into an empty folder, write `files`, run `steps` one after the other with that folder as working directory; the
 *   result is `output` in it;
 * - `original`: nothing, the source is the format;
 * - `copy`: nothing, the result is a copy of the source;
 * - `skipped`: nothing, because this source does not need the format; `reason` is a sentence for a person;
 * - `refused`: it cannot or must not be made; `problems` are sentences for a person.
 */
export type Invocation =
  | {
      readonly kind: 'run';
      readonly inputs: InputNames;
      readonly files: readonly TextFile[];
      readonly steps: readonly Step[];
      readonly output: string;
      /** Why arguments that depend on the source are there, for people. */
      readonly reasons?: readonly ArgumentReason[];
      /** The files with the sounds of a film of several, the first is `output`; absent: there is only `output`. */
      readonly sounds?: readonly SoundFile[];
      /** Whether `output` is a picture whose sounds are streaming renditions of their own; absent: no. */
      readonly isSoundApart?: boolean;
      /** The PDF in the folder whose pages are those of the source; absent: the source has no pages. */
      readonly pdf?: string;
      /** What the result lacks, as a sentence for a person; absent: nothing. */
      readonly message?: string;
    }
  | { readonly kind: 'original' }
  | { readonly kind: 'copy' }
  | { readonly kind: 'skipped'; readonly reason: string }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** A part of a command, and a phrase such as `interlaced source, top field first`. */
export interface ArgumentReason {
  readonly argument: string;
  readonly reason: string;
}

/** The format cannot or must not be made; the message is a sentence for a person. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}

/** The format can be made of this source only with a program that this machine does not have. */
export class MissingProgram extends Error {
  override readonly name = 'MissingProgram';

  constructor(readonly program: ProgramName) {
    super(`${program} is not installed here.`);
  }
}

/** A program that the operator provides with its arguments, in which `{input}` and `{output}` stand for the files. */
export interface CliTool {
  readonly name: string;
  readonly argv: readonly string[];
}

/** The encoding of colours in ffmpeg's names; null: not stated by the file. */
export interface SourceColor {
  readonly transfer: string | null;
  readonly primaries: string | null;
  readonly matrix: string | null;
  /** `tv`: 16 to 235, `pc`: 0 to 255. */
  readonly range?: string | null;
}

/** When a stream plays, in seconds after the beginning of its file; measured by its packets, because headers may be wrong. */
export interface StreamTimes {
  readonly start: number;
  readonly end: number;
}

/** A sound stream of the source. */
export interface SourceSound {
  /** Index among all streams of the file. */
  readonly index: number;
  /** As the file states it, for example `ger` or `de`; null: not stated. */
  readonly language: string | null;
  readonly title: string | null;
  readonly channels: number | null;
  /** Whether the file marks it as the one to play. */
  readonly isDefault: boolean;
  /** `commentary`: people talk about the film; `description`: audio description for people who cannot see it. */
  readonly content: 'main' | 'commentary' | 'description';
  readonly times: StreamTimes | null;
}

/** A result with one of the sounds of a film. */
export interface SoundFile {
  readonly output: string;
  readonly sound: SourceSound;
}

/** What is known about the source; null: unknown. */
export interface SourceFacts {
  readonly mediaType: MediaType;
  /** Pixels as stored, before the rotation. */
  readonly width: number | null;
  readonly height: number | null;
  /** Degrees by which players rotate it. */
  readonly rotation: number | null;
  /** Width of a stored pixel divided by its height; null: square, or unknown. */
  readonly pixelAspect: number | null;
  /** Seconds. */
  readonly duration: number | null;
  /** Frames per second, on average. */
  readonly frameRate: number | null;
  /** The lowest rate that all its frames fit, or the resolution of its clock. */
  readonly baseFrameRate: number | null;
  /** The encoding of its colours; null: unknown. */
  readonly color: SourceColor | null;
  /** The field that is shown first, if the picture is interlaced; null: it is progressive, or unknown. */
  readonly fieldOrder: 'top' | 'bottom' | null;
  /** Whether the file has an index of its key frames, so that reading can start anywhere; null: unknown. */
  readonly isIndexed: boolean | null;
  /** When the picture plays; null: unknown. */
  readonly pictureTimes: StreamTimes | null;
  /** The sound streams in the order of the file; empty: no sound, or unknown. */
  readonly sounds: readonly SourceSound[];
  /** The texts of an audio file that its renditions keep, such as title and artist, by ffmpeg's names. */
  readonly titles: Readonly<Record<string, string>>;
  readonly hasAudio: boolean | null;
  readonly hasVideo: boolean | null;
  /** Without a dot; for an image, the actual type according to its content. */
  readonly fileExtension: string | null;
  /** The character between the columns of a CSV; absent: not a CSV. */
  readonly separator?: string;
  /** How many points the unit of each page of a PDF has; absent: one for all pages. */
  readonly pageUnits?: readonly number[];
}

/** What a converter needs to make a format of a source. Parameters and settings have been validated. */
export interface BuildRequest {
  /** The final command, from mergeParameters. */
  readonly command: Parameters;
  readonly settings: FormatSettings;
  readonly timecode: BurnTimecode | null;
  readonly source: SourceFacts;
  /** The image of settings.watermark; null: the format has no watermark. */
  readonly watermark: { readonly fileExtension: string | null } | null;
  /** The empty folder of the transcoding, absolute. */
  readonly folder: string;
  /** The programs that the operator provides to the converter cli. */
  readonly tools: readonly CliTool[];
  /** The programs of this machine. */
  readonly programs: readonly string[];
  /** Whether the sounds of a film are, or are about to be, streaming renditions of their own; absent: no. */
  readonly hasStreamedSounds?: boolean;
  /** The metadata of the result as XMP, if the program that makes the image has to write it; null: exiftool writes it. */
  readonly xmp: string | null;
}

/** Why nothing can be made from an original: it cannot be read, or not converted into this format. `reason` is a sentence for its owner. */
export interface Unusable {
  readonly code: 'source_unreadable' | 'transcoding_refused';
  readonly reason: string;
}

/** States everything about one converter. A new converter needs such a descriptor, and one line in converters.ts. */
export interface ConverterDescriptor {
  readonly name: string;
  /** The only parameters that may be passed to its programs, even for raw parameters of administrators. */
  readonly parameters: ParameterRules;
  /** The file types that it makes; null: every type. */
  readonly filetypes: readonly string[] | null;
  /** The file type if a format has none; absent: formats must have one. */
  readonly defaultFiletype?: string;
  /**
   * - `measured`: the source has to be media that can be read, and its facts are needed;
   * - `any`: the source may be any file.
   */
  readonly source: 'measured' | 'any';
  /**
   * - `media`: a file that can be measured;
   * - `technicalMetadata`: a description of the source;
   * - `any`: a file that may not be measurable.
   */
  readonly result: 'media' | 'technicalMetadata' | 'any';
  /** The programs that such a format needs, `cli:<name>` for a tool of the operator. */
  readonly programs: (settings: FormatSettings, command: Parameters) => readonly string[];
  /** What sharp cannot do of an image, in terms of the API, so that ImageMagick does it; empty: nothing. Absent: sharp does not make the format. */
  readonly findSharpObstacles?: (settings: FormatSettings, command: Parameters) => readonly string[];
  /** Builds what has to be done. Throws a Refusal, or MissingProgram. */
  readonly build: (request: BuildRequest) => Invocation;
  /**
   * Whether making the result is long work, whose cost grows with the length of a film, or is unknown. Absent: it is short work (a picture, a document,
   * a sound), which converter/tools/work-limits.service.ts limits more strictly.
   */
  readonly isLong?: (command: Parameters, settings: FormatSettings, type: ContainerType) => boolean;
  /** The length of the result in seconds, unless its filters change the speed; null: unknown. Absent: always unknown. */
  readonly resultSeconds?: (command: Parameters, settings: FormatSettings, source: Pick<SourceFacts, 'duration'>) => number | null;
  /** How the tiles of the result map to times; null: the result is no storyboard. Absent: the converter makes none. */
  readonly storyboard?: (command: Parameters, settings: FormatSettings, source: Pick<SourceFacts, 'duration'>) => StoryboardFacts | null;
  /** Explains the failure of a program by its last output, if the original is the cause; null: it is not known. Absent: it never is. */
  readonly explainFailure?: (program: Step['program'], log: string) => Unusable | null;
  /** Finds problems of combined settings that keep a format from being made; absent: there are none. */
  readonly findConflicts?: (settings: FormatSettings, command: Parameters) => FieldProblem[];
}

/** The file types into which metadata is written. */
const IMAGE_TYPES = new Set(['jpg', 'png', 'webp', 'gif', 'tiff', 'avif']);

/** Returns the program that writes metadata into the result, if the result is an image. */
export const metadataPrograms = ({ filetype = '' }: FormatSettings): readonly ProgramName[] =>
  IMAGE_TYPES.has(filetype) ? ['exiftool'] : [];

/** Whether a name is plain, so that no program can interpret it as an option, a URL or a pattern. */
export const isFileName = (name: string): boolean => /^[a-z][a-z0-9-]{0,40}(\.[a-z0-9]{1,12})?$/.test(name);

/** Pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/**
 * Returns the size in which players show the source: upright and in square pixels (contract section 13.7). One side is enlarged for them, as browsers do,
 * so that no detail is lost. Null: unknown.
 */
export function displaySize({
  width,
  height,
  rotation,
  pixelAspect,
}: Pick<SourceFacts, 'width' | 'height' | 'rotation' | 'pixelAspect'>): Size | null {
  if (!width || !height) return null;
  const aspect = pixelAspect ?? 1;
  const square = aspect >= 1 ? { width: Math.round(width * aspect), height } : { width, height: Math.round(height / aspect) };
  return Math.abs(rotation ?? 0) % 180 === 90 ? { width: square.height, height: square.width } : square;
}

/** Whether a value, as text, may be passed to the program for a parameter. */
export type ParameterRule = (value: string) => boolean;

/** The parameters of a converter, by name. Others are never passed on, not even raw parameters of administrators. */
export type ParameterRules = ReadonlyMap<string, ParameterRule>;

/** Longer than any real value. */
const MAX_VALUE_CHARACTERS = 500;

/** Requires the whole value, of limited length, to match. Only for patterns from this code base, which are anchored here. */
export function matching(pattern: RegExp): ParameterRule {
  const whole = new RegExp(`^(?:${pattern.source})$`, pattern.flags);
  return (value) => value.length <= MAX_VALUE_CHARACTERS && whole.test(value);
}

/** Requires one of these words. */
export const oneOf =
  (...words: readonly string[]): ParameterRule =>
  (value) =>
    words.includes(value);

/** Requires an integer in a range. */
export const integer =
  (min: number, max: number): ParameterRule =>
  (value) =>
    /^-?\d{1,10}$/.test(value) && Number(value) >= min && Number(value) <= max;

/** Requires a number in a range, with or without decimals. */
export const decimal =
  (min: number, max: number): ParameterRule =>
  (value) =>
    /^-?\d{1,10}(\.\d{1,6})?$/.test(value) && Number(value) >= min && Number(value) <= max;

/** An option without a value: true adds it, false omits it. */
export const flag: ParameterRule = oneOf('true', 'false');
