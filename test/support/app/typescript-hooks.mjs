// Hooks of Node.js that load x.ts where a module imports x.js, as Jest does (jest.config.mjs).
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { transformFile } from '@swc/core';

const options = { jsc: { target: 'es2022', parser: { syntax: 'typescript', decorators: true }, transform: { legacyDecorator: true } } };

export async function resolve(name, context, next) {
  const url = /^(?:\.|file:).*\.js$/.test(name) ? new URL(name.replace(/js$/, 'ts'), context.parentURL) : null;
  return url && existsSync(url) ? { url: url.href, format: 'module', shortCircuit: true } : await next(name, context);
}

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return await next(url, context);
  return { format: 'module', source: (await transformFile(fileURLToPath(url), options)).code, shortCircuit: true };
}
