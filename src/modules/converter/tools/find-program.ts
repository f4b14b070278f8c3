import { access, constants, stat } from 'node:fs/promises';
import path from 'node:path';
import type { WorkFolders } from '../execution/work-folders.js';
import type { ToolReport } from './converter-worker.entity.js';
import type { KnownProgram } from './known-programs.js';
import { LineReader } from './line-reader.js';
import { runProcess } from './run-process.js';
import { toolEnvironment } from './tool-environment.js';

/** Whoever has not said its version by then is not asked on. */
const PATIENCE_SECONDS = 10;
/** A version stands in one of the first lines. */
const LINES = 20;

/** A program in a file of its own, or why there is none. */
export interface FoundProgram {
  readonly file: string | null;
  readonly report: ToolReport;
}

/** Where to look, and where a program works while it is asked who it is. */
export interface SearchPlaces {
  readonly folders: readonly string[];
  readonly workFolders: WorkFolders;
}

/** Looks for a program in folders; a file of its name that does not introduce itself as it is passed over. */
export async function findProgram(known: KnownProgram, { folders, workFolders }: SearchPlaces): Promise<FoundProgram> {
  const strangers: string[] = [];
  for (const name of known.files) {
    for (const folder of folders) {
      const file = path.join(folder, name);
      if (!(await isExecutable(file))) continue;
      const version = await workFolders.using(async (folder) => await versionOf(file, known, folder));
      if (version !== null) return { file, report: { version } };
      strangers.push(name);
    }
  }
  return { file: null, report: { problem: missing(known, strangers) } };
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

/** In an empty folder: LibreOffice writes into its home whatever it is asked. */
async function versionOf(file: string, { argv, introduction }: KnownProgram, folder: string): Promise<string | null> {
  try {
    const lines: string[] = [];
    const reader = new LineReader((line) => void (lines.length < LINES && lines.push(line)));
    const { words } = await runProcess({
      command: [file, ...argv],
      cwd: folder,
      env: toolEnvironment(folder),
      seconds: PATIENCE_SECONDS,
      consume: async (stdout) => {
        for await (const chunk of stdout) reader.add(chunk as Buffer);
        reader.end();
      },
    });
    return introduction.exec([...lines, words.text(folder)].join('\n'))?.[1] ?? null;
  } catch {
    return null; // not even started: a script whose interpreter is missing, a file for another processor
  }
}

function missing({ title, files: [name = ''] }: KnownProgram, strangers: readonly string[]): string {
  const called = title === name ? title : `${title} (${name})`;
  const passed = strangers.length > 0 ? `, and what is called ${strangers[0]} in PATH is something else` : '';
  return `${called} is not installed${passed}: run \`npm run install:tools\` (Debian), or put it in PATH.`;
}
