import type { ProgramName } from '../../formats/index.js';

export interface KnownProgram {
  /** Under which it may stand in a folder, the preferred first. */
  readonly files: readonly string[];
  /** What makes it say its version, and nothing else. */
  readonly argv: readonly string[];
  /** How it introduces itself; the group is its version. */
  readonly introduction: RegExp;
  /** By which people know it. */
  readonly title: string;
}

/** The programs that converters start. */
export const KNOWN_PROGRAMS: Readonly<Record<ProgramName, KnownProgram>> = {
  ffmpeg: { files: ['ffmpeg'], argv: ['-version'], introduction: /^ffmpeg version (\S+)/m, title: 'ffmpeg' },
  ffprobe: { files: ['ffprobe'], argv: ['-version'], introduction: /^ffprobe version (\S+)/m, title: 'ffprobe' },
  // Version 7 calls itself magick and takes the same arguments; under the old name it complains at each run.
  convert: { files: ['convert', 'magick'], argv: ['-version'], introduction: /^Version: ImageMagick (\S+)/m, title: 'ImageMagick' },
  soffice: {
    files: ['soffice', 'libreoffice'],
    argv: ['--version'],
    introduction: /^LibreOffice(?:Dev)? (\S+)/m,
    title: 'LibreOffice',
  },
  pdftoppm: { files: ['pdftoppm'], argv: ['-v'], introduction: /^pdftoppm version (\S+)/m, title: 'pdftoppm' },
  exiftool: { files: ['exiftool'], argv: ['-ver'], introduction: /^(\d+\.\d+)$/m, title: 'exiftool' },
};
