import { copyFileSync, mkdirSync, readdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { transformFileSync } from '@swc/core';
import { REPOSITORY } from './program.js';

const jsc = {
  target: 'es2022',
  parser: { syntax: 'typescript', decorators: true },
  transform: { legacyDecorator: true, decoratorMetadata: true },
} as const;

/** Some files and folders of the source (`src/shared/errors.ts`) as JavaScript in a folder, for child processes, which run without Jest. */
export function compileParts(parts: readonly string[], folder: string): void {
  for (const part of parts) {
    const names = part.endsWith('.ts') ? [''] : readdirSync(path.join(REPOSITORY, part), { recursive: true, encoding: 'utf8' });
    for (const name of names) compile(path.join(part, name), folder);
  }
  writeFileSync(path.join(folder, 'package.json'), '{ "type": "module" }');
  symlinkSync(path.join(REPOSITORY, 'node_modules'), path.join(folder, 'node_modules'));
}

function compile(name: string, folder: string): void {
  const source = path.join(REPOSITORY, name);
  if (name.endsWith('.spec.ts') || statSync(source).isDirectory()) return;
  const target = path.join(folder, name.replace(/\.ts$/, '.js'));
  mkdirSync(path.dirname(target), { recursive: true });
  if (name.endsWith('.ts')) writeFileSync(target, transformFileSync(source, { jsc }).code);
  else if (/\.(css|eta|png|svg)$/.test(name)) copyFileSync(source, target); // modules read them when they are loaded
}
