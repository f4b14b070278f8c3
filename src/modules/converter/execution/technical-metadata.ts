import { readFile, writeFile } from 'node:fs/promises';

/** What ffprobe wrote, without the place where it found the file; the file is written anew without it. */
export async function readTechnicalMetadata(file: string): Promise<object> {
  const written = JSON.parse(await readFile(file, 'utf8'), withoutZeros) as { format?: Record<string, unknown> };
  const { filename: _, ...format } = written.format ?? {};
  const told = { ...written, format };
  await writeFile(file, `${JSON.stringify(told, null, 2)}\n`);
  return told;
}

/** PostgreSQL's jsonb holds none. */
const withoutZeros = (_: string, value: unknown): unknown => (typeof value === 'string' ? value.replaceAll('\0', '') : value);
