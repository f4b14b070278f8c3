import '../process/quiet-runtime-notice.js';
import '../app.module.js'; // loads the modules that declare error codes
import { writeFileSync } from 'node:fs';
import { documents } from './documents.js';

/** `npm run docs`: writes .env.example and the generated pages of docs/. */
for (const [file, render] of Object.entries(documents)) {
  writeFileSync(file, render());
  console.log(`Wrote ${file}.`);
}
