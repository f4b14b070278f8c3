/** The instructions that our Dockerfile uses; another one is an error here, so that nothing goes untested. */
export type Instruction =
  | { readonly kind: 'WORKDIR'; readonly path: string }
  | { readonly kind: 'COPY'; readonly from: string | null; readonly sources: readonly string[]; readonly target: string }
  | { readonly kind: 'RUN'; readonly command: string }
  | { readonly kind: 'ENV'; readonly variables: Readonly<Record<string, string>> }
  | { readonly kind: 'USER'; readonly name: string }
  | { readonly kind: 'EXPOSE'; readonly port: string }
  | { readonly kind: 'HEALTHCHECK' | 'CMD'; readonly argv: readonly string[] };

export interface Stage {
  readonly image: string;
  readonly name: string | null;
  readonly instructions: readonly Instruction[];
}

/** Reads a Dockerfile of one instruction per line. Throws at the first line that it does not know. */
export function parseDockerfile(text: string): Stage[] {
  const stages: { image: string; name: string | null; instructions: Instruction[] }[] = [];
  for (const line of text.split('\n').filter((one) => one.trim() !== '' && !one.startsWith('#'))) {
    const from = /^FROM (\S+)(?: AS (\S+))?$/.exec(line);
    if (from) stages.push({ image: from[1] ?? '', name: from[2] ?? null, instructions: [] });
    else if (stages.length === 0) throw new Error(`${line}: stands before FROM`);
    else stages.at(-1)?.instructions.push(parseInstruction(line));
  }
  return stages;
}

function parseInstruction(line: string): Instruction {
  const [, keyword = '', rest = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
  if (rest.endsWith('\\')) throw new Error(`${line}: goes on in the next line, which is not read here`);
  if (keyword === 'WORKDIR') return { kind: keyword, path: rest };
  if (keyword === 'COPY') return parseCopy(rest);
  if (keyword === 'RUN' && !/^(\[|--)/.test(rest)) return { kind: keyword, command: rest };
  if (keyword === 'ENV') return { kind: keyword, variables: Object.fromEntries(rest.split(' ').map((pair) => pair.split('=', 2))) };
  if (keyword === 'USER') return { kind: keyword, name: rest };
  if (keyword === 'EXPOSE') return { kind: keyword, port: rest };
  const list = /^(?:CMD|HEALTHCHECK (?:--[\w-]+=\w+ )*CMD) (\[.*\])$/.exec(line)?.[1];
  if (list && (keyword === 'CMD' || keyword === 'HEALTHCHECK')) return { kind: keyword, argv: JSON.parse(list) as string[] };
  throw new Error(`${line}: is not read here`);
}

function parseCopy(rest: string): Instruction {
  const words = rest.split(' ');
  const from = /^--from=(\S+)$/.exec(words[0] ?? '')?.[1] ?? null;
  const paths = from === null ? words : words.slice(1);
  if (paths.length < 2 || paths.some((path) => /^(--|\[)|[*?]/.test(path))) throw new Error(`COPY ${rest}: is not read here`);
  return { kind: 'COPY', from, sources: paths.slice(0, -1), target: paths.at(-1) ?? '' };
}
