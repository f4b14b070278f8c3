/** The programs that converters start; a cli tool's name is the operator's. */
export type ProgramName = 'ffmpeg' | 'ffprobe' | 'convert' | 'soffice' | 'pdftoppm' | 'exiftool';

/** One run of a program, without a shell, in the job's own folder. All file names in it are relative to that folder. */
export interface Step {
  readonly program: ProgramName | { readonly tool: string };
  readonly argv: readonly string[];
  /** The file that its standard output becomes; null: nothing is expected there. */
  readonly stdout: string | null;
}

/** A text that is written into the job's folder before the first step; its name may begin with folders, which are made. */
export interface TextFile {
  readonly name: string;
  readonly content: string;
}

/** Names under which the job's folder must hold what is read. */
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
 * - `refused`: it cannot or must not be made; `problems` are sentences for a person.
 */
export type Invocation =
  | {
      readonly kind: 'run';
      readonly inputs: InputNames;
      readonly files: readonly TextFile[];
      readonly steps: readonly Step[];
      readonly output: string;
    }
  | { readonly kind: 'original' }
  | { readonly kind: 'copy' }
  | { readonly kind: 'refused'; readonly problems: readonly string[] };

/** A name of ours in the job's folder: nothing that a program could take for an option, an address or a pattern. */
export const isFileName = (name: string): boolean => /^[a-z][a-z0-9-]{0,40}(\.[a-z0-9]{1,12})?$/.test(name);
