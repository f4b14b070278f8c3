// Runs one program of the build (`node scripts/run.mjs main.js …`), and builds first if the sources are newer. Settings come from the
// environment or from the file .env (see .env.example); the environment takes precedence.
import './build.mjs';
import { existsSync } from 'node:fs';
import { fileURLToPath, pathToFileURL } from 'node:url';

const settings = fileURLToPath(new URL('../.env', import.meta.url));
if (existsSync(settings)) process.loadEnvFile(settings);

const [program, ...args] = process.argv.slice(2);
const file = fileURLToPath(new URL(`../dist/src/${program}`, import.meta.url));
process.argv = [process.argv[0], file, ...args];
await import(pathToFileURL(file).href);
