import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';

const root = path.resolve(import.meta.dirname, '..');

/** A property or variable whose type contains a promise, outside of the signature of a function: `x: Promise<…>`, `x = new Map<…, Promise<…>>()`. */
const KEPT =
  /^\s+(?:(?:private|protected|public|static|readonly)\s+)*#?\w+[?!]?(?::[^=(]*\bPromise<|(?::[^=(]*)? = new (?:Weak)?(?:Map|Set|LRUCache)<[^(]*\bPromise<)|^\s*let \w+(?::[^=(]*\bPromise<| = [^;]*\bPromise<)/;

const sources = ['src', 'sdk/src', 'local-storage/src'].flatMap((folder) =>
  readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts') && !file.endsWith('.d.ts'))
    .map((file) => `${folder}/${file}`),
);
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');

describe('a promise that is kept in a field', () => {
  it('is one of SharedWork or WorkInTurn, so that a failure for which no caller waits does not end the process', () => {
    const keeping = sources.filter(
      (file) =>
        !file.startsWith('sdk/src/generated/') &&
        read(file)
          .split('\n')
          .some((line) => KEPT.test(line)),
    );
    expect(keeping.sort()).toEqual([
      'local-storage/src/store/disk.ts', // KeyedLock: caught when it is kept
      'local-storage/src/store/sealed-file.ts', // caught when it is kept
      'sdk/src/shared-work.ts',
      'src/embedded/object-storage/acquire-object-storage.ts', // it only resolves
      'src/embedded/supervise-server.ts', // it only resolves
      'src/modules/delivery/files/throttle.ts', // caught when it is kept
      'src/shared/auth/caller-authentication.service.ts', // the caller that starts it waits for it
      'src/shared/fairness/abandonable-work.ts', // caught when it is kept
      'src/shared/jobs/queue.worker.ts', // caught before it is kept
      'src/shared/shared-work.ts',
    ]);
  });

  it.each([
    '  private pending: Promise<Status> | null = null;',
    '  readonly #known = new Map<string, Promise<Status>>();',
    '  private readonly known = new Map<string, { readonly url: Promise<string> }>();',
    '  readonly loading: Promise<Value | null>;',
    'let current: Promise<Session> | null = null;',
  ])('would be noticed in %s', (line) => {
    expect(KEPT.test(line)).toBe(true);
  });

  it('is kept by the same class in the SDK, which is a package of its own', () => {
    expect(read('src/shared/shared-work.ts')).toContain(read('sdk/src/shared-work.ts').trim());
  });
});
