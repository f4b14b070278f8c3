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
  /** The program that it begins with in a comment, `# needs: aws`; null: bash, curl and Node are enough. */
  readonly needs: string | null;
}

const ROOT = path.resolve(import.meta.dirname, '../../..');
const FENCED = /^```(sh|text)\n([\s\S]*?)^```$/gm;
const HTML = /^```html\n([\s\S]*?)^```$/m;

/** The ```sh blocks of a document of this repository, in their order. `replace` changes commands and outputs alike, e.g. port numbers. */
export function readBlocks(file: string, replace: (text: string) => string): Block[] {
  const document = read(file);
  const fences = [...document.matchAll(FENCED)].map(({ 1: kind, 2: text = '', index }) => ({ kind, text: replace(text), index }));
  return fences.flatMap(({ kind, text: commands, index }, at) => {
    if (kind !== 'sh') return [];
    const next = fences[at + 1];
    const place = `${file}:${document.slice(0, index).split('\n').length}`;
    const output = next?.kind === 'text' ? next.text : '';
    const needs = /^# needs: (.+)/.exec(commands)?.[1] ?? null;
    return [{ place, commands, output, inFirstTerminal: commands.startsWith('# first terminal\n'), needs }];
  });
}

/** The ```html block of a document. */
export function readPage(file: string): string {
  const [, page] = HTML.exec(read(file)) ?? [];
  if (page === undefined) throw new Error(`${file} has no html block.`);
  return page;
}

/** The first block of a language below a heading, as it stands; `heading` with its `#`. */
export function readSnippet(file: string, heading: string, language: string): string {
  const [, section] = read(file).split(`\n${heading}\n`);
  const [, snippet] = new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(section ?? '') ?? [];
  if (snippet === undefined) throw new Error(`${file} has no ${language} block below ${heading}.`);
  return snippet;
}

/** Whether a program printed what a document says; `…` in the document stands for anything. */
export function fits(printed: string, output: string): boolean {
  const parts = output
    .trim()
    .split('…')
    .map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(`^${parts.join('[\\s\\S]*?')}$`).test(printed.trim());
}

const read = (file: string): string => readFileSync(path.join(ROOT, file), 'utf8');
