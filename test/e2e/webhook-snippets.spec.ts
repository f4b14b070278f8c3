import { describe } from '@jest/globals';
import { verifiesSignatures } from '../support/subscriptions/webhook-snippets.js';

describe('the signature examples of docs/events.md', () => {
  verifiesSignatures({ heading: '### JavaScript', language: 'js', extension: 'mjs', program: process.execPath });
});
