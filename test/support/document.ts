import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Commands of a document, and what the document says that they print. */
export interface Block {
  /** Where it stands, for messages: `docs/tour.md:17`. */
  readonly place: string;
  readonly commands: string;
  /** The ```text block right below; '' when there is none: then nothing may be printed. */
  readonly output: string;
  /** It begins with the comment `# first terminal`. */
  readonly inFirstTerminal: boolean;
}

const ROOT = path.resolve(import.meta.dirname, '../..');
const FENCED = /^```(sh|text)\n([\s\S]*?)^```$/gm;

/** The ```sh blocks of a document of this repository, in their order. `replace` changes commands and outputs alike, e.g. port numbers. */
export function readBlocks(file: string, replace: (text: string) => string): Block[] {
  const document = readFileSync(path.join(ROOT, file), 'utf8');
  const fences = [...document.matchAll(FENCED)].map(({ 1: kind, 2: text = '', index }) => ({ kind, text: replace(text), index }));
  return fences.flatMap(({ kind, text: commands, index }, at) => {
    if (kind !== 'sh') return [];
    const next = fences[at + 1];
    const place = `${file}:${document.slice(0, index).split('\n').length}`;
    return [
      { place, commands, output: next?.kind === 'text' ? next.text : '', inFirstTerminal: commands.startsWith('# first terminal\n') },
    ];
  });
}

/** Whether a program printed what a document says; `…` in the document stands for anything. */
export function fits(printed: string, output: string): boolean {
  const parts = output
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*?')}$`).test(printed.trim());
}
