import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import type { WorkFoldersService } from '../execution/work-folders.service.js';
import type { ToolReport } from './converter-worker.entity.js';
import type { KnownProgram } from './programs.js';
import { LineReader, runProcess } from './run-process.js';
import { toolEnvironment } from './tool-environment.js';
import type { Enclosure, ToolLimits } from './tool-run.js';

/** Enough to print a version; LibreOffice needs this much address space. */
const LIMITS: ToolLimits = { seconds: 10, cpuSeconds: 20, fileBytes: 16_777_216, memoryBytes: 4_294_967_296 };
/** Programs print their version in one of the first lines. */
const MAX_LINES = 20;

/** The result of the search for a program: its file, or why it cannot be used. */
export interface FoundProgram {
  readonly file: string | null;
  readonly report: ToolReport;
  /** Arguments that precede those of a step, and further files that the program reads. */
  readonly leading?: readonly string[];
  readonly reads?: readonly string[];
  /** The program is installed, but must not be run. */
  readonly refused?: boolean;
}

/** Where to search, and where a program runs while it prints its version. */
export interface SearchPlaces {
  readonly folders: readonly string[];
  readonly workFolders: WorkFoldersService;
  readonly isolation: ProgramIsolation;
}

/** What isolates a program while it prints its version (IsolationService). */
export interface ProgramIsolation {
  enclose(enclosure: Enclosure): Promise<readonly string[]>;
  giveAway(folder: string): Promise<void>;
}

/** Searches folders for a program; skips a file with its name whose version output is that of another program. */
export async function findProgram(known: KnownProgram, { folders, workFolders, isolation }: SearchPlaces): Promise<FoundProgram> {
  const strangers: string[] = [];
  for (const name of known.files) {
    for (const folder of folders) {
      const file = path.join(folder, name);
      if (!(await isExecutable(file))) continue;
      const version = await workFolders.using(async (workFolder) => await versionOf({ file }, known, { folder: workFolder, isolation }));
      if (version !== null) return { file, report: { version } };
      strangers.push(name);
    }
  }
  return { file: null, report: { problem: missing(known, strangers) } };
}

/** Determines whether a program that must not be run is installed, without running it to print its version. */
export async function refuseProgram(
  known: KnownProgram,
  { folders, refusal }: { readonly folders: readonly string[]; readonly refusal: string },
): Promise<FoundProgram> {
  const files = known.files.flatMap((name) => folders.map((folder) => path.join(folder, name)));
  for (const file of files) {
    if (await isExecutable(file)) return { file: null, report: { problem: `${known.title} is not run. ${refusal}` }, refused: true };
  }
  return { file: null, report: { problem: missing(known, []) } };
}

/** Whether this process may start the file. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return (await stat(file)).isFile();
  } catch {
    return false;
  }
}

/** A file to run, what precedes its own arguments, and what it reads in addition. */
export type Command = Pick<FoundProgram, 'leading' | 'reads'> & { readonly file: string };

/**
 * The version that a program prints; null: it is another program, or does not run. It runs in an empty folder, because LibreOffice always writes into
 * its home.
 */
export async function versionOf(
  { file, leading = [], reads = [] }: Command,
  { argv, introduction }: KnownProgram,
  { folder, isolation }: { readonly folder: string; readonly isolation: ProgramIsolation },
): Promise<string | null> {
  try {
    await isolation.giveAway(folder);
    const lines: string[] = [];
    const reader = new LineReader((line) => void (lines.length < MAX_LINES && lines.push(line)));
    const { output } = await runProcess({
      command: [...(await isolation.enclose({ file, folder, reads, limits: LIMITS })), file, ...leading, ...argv],
      cwd: folder,
      env: toolEnvironment(folder),
      seconds: LIMITS.seconds,
      consume: async (stdout) => {
        for await (const chunk of stdout) reader.add(chunk as Buffer);
        reader.end();
      },
    });
    return introduction.exec([...lines, output.text(folder)].join('\n'))?.[1] ?? null;
  } catch {
    return null; // it could not be started, such as a script without its interpreter or a file for another processor
  }
}

function missing({ title, files: [name = ''] }: KnownProgram, strangers: readonly string[]): string {
  const called = title === name ? title : `${title} (${name})`;
  const passed =
    strangers.length > 0
      ? `, and what is called ${strangers[0]} in PATH is something else, or needs files that CONVERTER_READS does not name`
      : '';
  return `${called} is not installed${passed}: run \`npm run install:tools\` (Debian), or put it in PATH.`;
}
