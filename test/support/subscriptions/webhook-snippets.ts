import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { makeTestFolder, removeTestFolder } from '../app/test-cluster.js';
import { readSnippet } from '../documents/document.js';

/** A program in a document that says of a message whether it is genuine. */
export interface Snippet {
  readonly heading: string;
  readonly language: string;
  readonly extension: string;
  /** What runs it. */
  readonly program: string;
}

interface Message {
  readonly secret: string;
  readonly id: string;
  readonly timestamp: string;
  readonly signatures: string;
  readonly body: string;
}

const EARLY = 301_000;

/** A message as the reference library of Standard Webhooks signs it. */
function aMessage(sentAt = new Date()): Message {
  const secret = `whsec_${randomBytes(24).toString('base64')}`;
  const [id, body] = [`msg_${randomUUID()}`, '{"name":"event:releaseRequest","payload":{"message":"Grüße, \\"100 %\\" $HOME"}}'];
  const signatures = new Webhook(secret).sign(id, sentAt, body);
  return { secret, id, timestamp: String(Math.floor(sentAt.getTime() / 1_000)), signatures, body };
}

/** Tests that the program believes genuine messages and no others. */
export function verifiesSignatures({ heading, language, extension, program }: Snippet): void {
  describe(`in ${language}`, () => {
    let folder: string;
    beforeAll(() => {
      folder = makeTestFolder();
      writeFileSync(path.join(folder, `verify.${extension}`), readSnippet('docs/events.md', heading, language));
    });
    afterAll(async () => await removeTestFolder(folder));

    const verdict = ({ secret, id, timestamp, signatures, body }: Message): string =>
      execFileSync(program, [path.join(folder, `verify.${extension}`), secret, id, timestamp, signatures, body], {
        encoding: 'utf8',
      }).trim();

    it('is believed when it is genuine, alone or beside the signature of another secret', () => {
      const message = aMessage();
      expect(verdict(message)).toBe('genuine');
      expect(verdict({ ...message, signatures: `${aMessage().signatures} ${message.signatures}` })).toBe('genuine');
    });

    it('is not believed when anything of it is another, or when it is old', () => {
      const [message, other] = [aMessage(), aMessage()];
      const forged = [
        { ...message, body: `${message.body} ` },
        { ...message, id: other.id },
        { ...message, secret: other.secret },
        { ...message, signatures: other.signatures },
        { ...message, signatures: '' },
        { ...message, timestamp: String(Number(message.timestamp) - 1) },
        aMessage(new Date(Date.now() - EARLY)),
        aMessage(new Date(Date.now() + EARLY + 600_000)), // so much that it is still too early when a busy machine comes to it
      ];
      expect(forged.map(verdict)).toEqual(forged.map(() => 'forged'));
    });
  });
}
