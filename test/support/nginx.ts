import { writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Program } from './app/program.js';
import { startDebianProgram } from './debian-program.js';
import { readSnippet } from './documents/document.js';
import { eventually } from './eventually.js';

/** The configuration of a document, with other values in the lines that it marks with `#!`. */
export function documentedConfiguration(file: string, heading: string, values: Readonly<Record<string, string>>): string {
  const adapt = (line: string) => Object.entries(values).reduce((text, [from, to]) => text.replaceAll(from, to), line);
  const lines = readSnippet(file, heading, 'nginx').split('\n');
  return lines.map((line) => (line.includes('#!') ? adapt(line) : line)).join('\n');
}

/** Starts Debian's nginx on a folder, and waits until it is listening or has ended. */
export async function startNginx(folder: string, configuration: string, isListening: () => Promise<boolean>): Promise<Program> {
  const file = path.join(folder, 'nginx.conf');
  writeFileSync(file, configuration);
  const nginx = startDebianProgram('nginx', ['-p', folder, '-c', file, '-g', 'daemon off;'], { cwd: folder });
  await eventually(async () => nginx.process.exitCode !== null || (await isListening()));
  if (nginx.process.exitCode !== null || nginx.output.stderr) throw new Error(`nginx: ${nginx.output.stderr}`);
  return nginx;
}
