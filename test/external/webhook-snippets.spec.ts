import { describe } from '@jest/globals';
import { debianProgram } from '../support/debian-program.js';
import { verifiesSignatures } from '../support/subscriptions/webhook-snippets.js';

describe('the signature examples of docs/events.md', () => {
  verifiesSignatures({ heading: '### Python', language: 'python', extension: 'py', program: debianProgram('python3') });
  debianProgram('openssl'); // the next one calls it by name
  verifiesSignatures({ heading: '### Shell', language: 'bash', extension: 'sh', program: debianProgram('bash') });
  verifiesSignatures({ heading: '### PHP', language: 'php', extension: 'php', program: debianProgram('php') });
});
