/** Facts read from a file; null: not applicable, or unknown. */
export interface MediaFacts {
  /** Square pixels as displayed, after rotation. */
  readonly width: number | null;
  readonly height: number | null;
  /** Seconds. */
  readonly duration: number | null;
  /** Codec of the picture, otherwise of the sound: `h264`, `mjpeg`, `mp3`. */
  readonly codec: string | null;
}

/** What is inside a film or a sound file, as ffprobe names it (`parseProbe` reads it). Only members that describe the file are stored. */
export interface MediaStreams {
  /** The container: `format_name`, `start_time`, `duration`, `bit_rate`, `tags` … */
  readonly format: Readonly<Record<string, unknown>>;
  /** In the order of the file: `index`, `codec_type`, `codec_name`, `start_time`, `duration`, `tags` (`language`, `title`), `disposition` … */
  readonly streams: readonly Readonly<Record<string, unknown>>[];
  /** `start_time`, `end_time` in seconds, `tags` (`title`). */
  readonly chapters: readonly Readonly<Record<string, unknown>>[];
}

/** When a stream plays, in seconds after the beginning of its file; measured by its packets, because headers may be wrong. */
export interface MeasuredTimes {
  /** Index among all streams of the file. */
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** How many pictures per second a film shows. */
export interface PictureRate {
  readonly average: number;
  /** Whether its pictures are shown for different times. */
  readonly isVariable: boolean;
}

/** The ICC profile of a picture, by which its colours are converted. */
export interface ColorProfile {
  /** The name that its author gave it, such as `Display P3`; null: not stated. */
  readonly name: string | null;
  /** `RGB`, `CMYK`, `GRAY`, `Lab` … (ICC.1:2022, 7.2.6). */
  readonly colorSpace: string;
}

/** Why a file cannot be used, or not wholly (contract section 14.1). */
export const PROBLEM_CODES = ['empty', 'source_unreadable', 'cut_off', 'encrypted', 'wrong_type', 'infected', 'too_large'] as const;
export type ProblemCode = (typeof PROBLEM_CODES)[number];

/** What is wrong with a file; the message is a sentence for its owner that says what to do. */
export interface FileProblem {
  readonly code: ProblemCode;
  readonly message: string;
}

/** What the inspection after an upload found out about a file (contract section 13.1). */
export interface FileDescription extends MediaFacts {
  /** The version of this shape; raised when a field changes its meaning. */
  readonly version: 1;
  /** Why the file cannot be used, or not wholly, as a sentence for its owner; null: it was read as far as the programs of the machine can. */
  readonly problem: string | null;
  /** The kind of the problem; absent: there is none, or an earlier version of the service inspected the file, and it could not be read. */
  readonly problemCode?: ProblemCode;
  /** The type by the content, as an extension: `jpg`, `pdf`, `vtt`; null: a film or sound (see `media`), or unknown. */
  readonly content: string | null;
  /** Bytes. */
  readonly size: number;
  /** Null: not a film or sound, or no program of the machine could read it. */
  readonly media: MediaStreams | null;
  /**
   * When the pictures and sounds of `media` play; empty: they cannot be measured, or an earlier version of the service inspected a file without a
   * picture. Absent: not measured, because only a part of the file was fetched, or by such a version; then the first transcoding adds them.
   */
  readonly times?: readonly MeasuredTimes[];
  /** Pictures per second of a film; absent: no film, unknown, or an earlier version of the service inspected it. */
  readonly pictureRate?: PictureRate;
  /** The profile of a picture; absent: it has none, exiftool is not installed, or an earlier version of the service inspected it. */
  readonly colorProfile?: ColorProfile;
  /** Pages of a document. An office document is counted when it is converted for the first time. Absent: not a document, or not counted. */
  readonly pages?: number;
  /** The character between the columns of a CSV; absent: not a CSV. */
  readonly separator?: string;
  /** How many points (1/72 inch) the unit of each page of a PDF has; absent: one for all pages, or an earlier version of the service inspected it. */
  readonly pageUnits?: readonly number[];
  /** A program that reads the file in the same way for every format ended at its limit of time; absent: none did. */
  readonly exceeded?: ExceededLimit;
}

/** A program that ended at its limit of time. */
interface ExceededLimit {
  readonly program: string;
  /** What it did, as a sentence. */
  readonly message: string;
  /** The processor time in seconds that it could have used at most. */
  readonly cpuSeconds: number;
  /** When it ended, in milliseconds since 1970. */
  readonly at: number;
}

/** The problem of a file; null: none was found. */
export const problemOf = ({ fileDescription }: { readonly fileDescription: FileDescription | null }): FileProblem | null =>
  fileDescription?.problem == null ? null : { code: fileDescription.problemCode ?? 'source_unreadable', message: fileDescription.problem };

export const NO_FACTS: MediaFacts = { width: null, height: null, duration: null, codec: null };
