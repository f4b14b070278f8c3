import { mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { transformFileSync } from '@swc/core';
import { REPOSITORY } from './program.js';

const PARTS = ['src/embedded', 'src/shared/errors'];
const jsc = { target: 'es2022', parser: { syntax: 'typescript' } } as const;

/** The embedded parts as JavaScript in a folder, because their child processes run without Jest. */
export function compileStorage(folder: string): { file(name: string): string } {
  for (const part of PARTS) {
    for (const name of readdirSync(path.join(REPOSITORY, part), { recursive: true, encoding: 'utf8' }))
      compile(path.join(part, name), folder);
  }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
  return { file: (name) => pathToFileURL(path.join(folder, 'src/embedded/object-storage', name)).href };
}

function compile(name: string, folder: string): void {
  const source = path.join(REPOSITORY, name);
  if (!name.endsWith('.ts') || name.endsWith('.spec.ts') || statSync(source).isDirectory()) return;
  const target = path.join(folder, name.replace(/ts$/, 'js'));
  mkdirSync(path.dirname(target), { recursive: true });
  writeFileSync(target, transformFileSync(source, { jsc }).code);
}
