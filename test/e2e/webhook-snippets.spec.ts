import { describe } from '@jest/globals';
import { verifiesSignatures } from '../support/webhook-snippets.js';

describe('what docs/events.md says of signatures', () => {
  verifiesSignatures({ heading: '### JavaScript', language: 'js', extension: 'mjs', program: process.execPath });
});
