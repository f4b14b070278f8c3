import { createRequire } from 'node:module';
import { pageCompiler } from '../../../src/shared/web/page-files.js';

const require = createRequire(import.meta.url);

// Tests run from src, where the scripts of pages are TypeScript. The compiler is loaded by the files that publish such a page only.
pageCompiler.compile = (source) => {
  const { transformSync } = require('@swc/core') as typeof import('@swc/core');
  return transformSync(source, { jsc: { target: 'es2022', parser: { syntax: 'typescript' } } }).code;
};
