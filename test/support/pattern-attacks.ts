import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';

const root = path.resolve(import.meta.dirname, '../..');

/** A regular expression in the sources. */
export interface SourcePattern {
  /** File and line. */
  readonly place: string;
  /** Null: it is made of texts when the program runs. */
  readonly pattern: RegExp | null;
}

/** The regular expressions in the sources, without those of tests. */
export function patternsInSources(): SourcePattern[] {
  const files = ['src', 'sdk/src', 'local-storage/src'].flatMap((folder) =>
    readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .map((file) => `${folder}/${file}`),
  );
  return files.sort().flatMap(patternsIn);
}

const MAKERS = /^(RegExp|RE2JS\.compile)$/;

function patternsIn(file: string): SourcePattern[] {
  const source = ts.createSourceFile(file, readFileSync(path.join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: SourcePattern[] = [];
  const visit = (node: ts.Node): void => {
    const place = () => `${file}:${source.getLineAndCharacterOfPosition(node.getStart(source)).line + 1}`;
    if (ts.isRegularExpressionLiteral(node)) found.push({ place: place(), pattern: toPattern(node.text) });
    const isMaker = (ts.isNewExpression(node) || ts.isCallExpression(node)) && MAKERS.test(node.expression.getText(source));
    if (isMaker) found.push({ place: place(), pattern: null });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

function toPattern(literal: string): RegExp {
  const end = literal.lastIndexOf('/');
  return new RegExp(literal.slice(1, end), literal.slice(end + 1));
}

/** A class, an escape, a beginning of a group or a quantifier, or a single character. */
const PART =
  /\[(?:\\.|[^\]\\])*\]|\\[pP]\{[^}]*\}|\\u\{[^}]*\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\.|\(\?(?:<?[=!:]|<\w+>)|\{\d+(?:,\d*)?\}|./gis;
const BEGINS_BRANCH = /^(?:\(.*|\|)$/s;
const IS_ATOM = /^(?:[^()|?*+^${]|\\[^bB]|.{2,})$/su;
/** Characters that patterns distinguish; the last ones end a line for `$` and `.`. */
const CHARACTERS = [...'a0 -./:=%,;"\'<>&(\\_A@+#?*[{é', '\t', '\r', '\u2028', '\n'];
/** The characters above that are blanks or ends of lines. */
const END_CHARACTERS = 4;
const MAX_LITERALS = 4;
/** What lets a match fail at its end. */
const ENDS = ['\0', '\n', '\u2028\0'];

/** A text that is repeated between two others. */
export interface Attack {
  readonly before: string;
  readonly repeated: string;
  readonly after: string;
}

export const attackText = ({ before, repeated, after }: Attack, length: number): string =>
  before + repeated.repeat(Math.ceil(length / repeated.length)) + after;

/** Builds the texts that make backtracking slow: for each part of a pattern its characters, many times, behind what matches the parts before it. */
export function attacksOn({ source, flags }: RegExp): Attack[] {
  const repeated = new Map<string, Attack>();
  const literals = [...source.matchAll(PART)].map(([part]) => part.replace(/^\\/, '')).filter((part) => part.length === 1);
  let [whole, branch] = ['', ''];
  const add = (text: string, before: string): void => {
    for (const after of ENDS) {
      if (text !== '') repeated.set(JSON.stringify([before, text, after]), { before, repeated: text, after });
    }
  };
  for (const [part] of source.matchAll(PART)) {
    if (BEGINS_BRANCH.test(part)) branch = '';
    if (!IS_ATOM.test(part) || part.startsWith('(') || /^\{\d/.test(part)) continue;
    const samples = samplesOf(part, flags, literals);
    const [first = ''] = samples;
    for (const before of new Set(['', whole, branch])) for (const sample of samples) add(sample, before);
    whole += first;
    branch += first;
    for (const text of [whole, branch]) add(text, '');
  }
  return [...repeated.values()];
}

/** Characters that a part of a pattern matches; those that other parts match, too, are the most dangerous. */
function samplesOf(part: string, flags: string, literals: readonly string[]): string[] {
  const pattern = new RegExp(`^${part}$`, flags.replace(/[gmy]/g, ''));
  const matching = (characters: readonly string[]) => [...new Set(characters)].filter((character) => pattern.test(character));
  const usual = matching(CHARACTERS);
  return [...new Set([...usual.slice(0, 1), ...matching(literals).slice(0, MAX_LITERALS), ...usual.slice(-END_CHARACTERS)])];
}
