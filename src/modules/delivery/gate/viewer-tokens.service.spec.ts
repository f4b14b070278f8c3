import { expect, it } from '@jest/globals';
import { FakeClock } from '../../../shared/clock.js';
import { loadConfig } from '../../../shared/config/index.js';
import { SecretBox } from '../../../shared/secrets/index.js';
import { ViewerTokensService } from './viewer-tokens.service.js';

const LINK = '0d0c5bd4-9a3e-4a4c-8a4e-5b8ac1b6a001';
const OTHER = '0d0c5bd4-9a3e-4a4c-8a4e-5b8ac1b6a002';

const start = () => {
  const secrets = new SecretBox(loadConfig({ APP_SECRET: 'x'.repeat(32) }));
  const unused = {} as never;
  const clock = new FakeClock(new Date('2026-02-03T10:30:00Z'));
  return { clock, tokens: new ViewerTokensService(secrets, unused, unused, clock) };
};

it('admits its viewer to its link, in any case of letters', () => {
  const { tokens } = start();
  const token = tokens.issueAdmission(LINK, '192.0.2.1');
  expect(tokens.isAdmitted(token, LINK, '192.0.2.1')).toBe(true);
  expect(tokens.isAdmitted(token, LINK.toUpperCase(), '192.0.2.1')).toBe(true);
  expect(tokens.isAdmitted(token, OTHER, '192.0.2.1')).toBe(false);
  expect(tokens.isAdmitted(token, LINK, '192.0.2.2')).toBe(false);
});

it('ends after half a day, and is the same within an hour', () => {
  const { tokens, clock } = start();
  const token = tokens.issueAdmission(LINK, '192.0.2.1');
  clock.advance(1_700);
  expect(tokens.issueAdmission(LINK, '192.0.2.1')).toBe(token);
  clock.advance(12 * 3_600 - 1_800);
  expect(tokens.isAdmitted(token, LINK, '192.0.2.1')).toBe(true);
  clock.advance(3_600);
  expect(tokens.isAdmitted(token, LINK, '192.0.2.1')).toBe(false);
});

it.each(['', '.', '99999999999', '99999999999.', '99999999999.abc', 'x.y'])('does not admit %j', (token) => {
  expect(start().tokens.isAdmitted(token, LINK, '192.0.2.1')).toBe(false);
});

it('cannot be made to last longer', () => {
  const { tokens } = start();
  const token = tokens.issueAdmission(LINK, '192.0.2.1');
  expect(tokens.isAdmitted(token.replace(/^\d+/, '99999999999'), LINK, '192.0.2.1')).toBe(false);
});
