import { expect, it } from '@jest/globals';
import { FakeClock } from '../../../shared/clock.js';
import { loadConfig } from '../../../shared/config/index.js';
import { SecretBoxService } from '../../../shared/secrets/index.js';
import { ViewerTokensService } from './viewer-tokens.service.js';

const LINK = '0d0c5bd4-9a3e-4a4c-8a4e-5b8ac1b6a001';
const OTHER = '0d0c5bd4-9a3e-4a4c-8a4e-5b8ac1b6a002';

const PAGE = { host: 'www.example.org', port: '443' };
const VIEWER = { link: LINK, address: '192.0.2.1', page: PAGE };

const start = () => {
  const secrets = new SecretBoxService(loadConfig({ APP_SECRET: 'x'.repeat(32) }));
  const unused = {} as never;
  const clock = new FakeClock(new Date('2026-02-03T10:30:00Z'));
  return { clock, tokens: new ViewerTokensService(secrets, unused, unused, clock) };
};

it('admits its viewer to its link, in any case of letters', () => {
  const { tokens } = start();
  const token = tokens.issueAdmission(VIEWER);
  expect(tokens.findAdmittedPage(token, { link: LINK, address: '192.0.2.1' })).toEqual(PAGE);
  expect(tokens.findAdmittedPage(token, { link: LINK.toUpperCase(), address: '192.0.2.1' })).toEqual(PAGE);
  expect(tokens.findAdmittedPage(token, { link: OTHER, address: '192.0.2.1' })).toEqual(null);
  expect(tokens.findAdmittedPage(token, { link: LINK, address: '192.0.2.2' })).toEqual(null);
});

it('ends after half a day, and is the same within an hour', () => {
  const { tokens, clock } = start();
  const token = tokens.issueAdmission(VIEWER);
  clock.advance(1_700);
  expect(tokens.issueAdmission(VIEWER)).toBe(token);
  clock.advance(12 * 3_600 - 1_800);
  expect(tokens.findAdmittedPage(token, { link: LINK, address: '192.0.2.1' })).toEqual(PAGE);
  clock.advance(3_600);
  expect(tokens.findAdmittedPage(token, { link: LINK, address: '192.0.2.1' })).toEqual(null);
});

it.each(['', '.', '99999999999', '99999999999.', '99999999999.abc', 'x.y'])('does not admit %j', (token) => {
  expect(start().tokens.findAdmittedPage(token, { link: LINK, address: '192.0.2.1' })).toEqual(null);
});

it('cannot be made to last longer', () => {
  const { tokens } = start();
  const token = tokens.issueAdmission(VIEWER);
  expect(tokens.findAdmittedPage(token.replace(/^\d+/, '99999999999'), { link: LINK, address: '192.0.2.1' })).toEqual(null);
});
