// Runs one program of the build (`node scripts/run.mjs main.js …`), building first only when the sources are newer.
import './build.mjs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const [program, ...args] = process.argv.slice(2);
const file = fileURLToPath(new URL(`../dist/src/${program}`, import.meta.url));
process.argv = [process.argv[0], file, ...args];
await import(pathToFileURL(file).href);
