import { expect, it } from '@jest/globals';
import { aRequest, aResponse } from '../../../test/support/accounts/exchange.js';
import { loadConfig } from '../config/index.js';
import { defineErrors } from '../errors.js';
import { createLog } from '../logging/index.js';
import { PagesService } from './pages.service.js';
import { ProblemPagesService } from './problem-pages.service.js';

const errors = defineErrors({ page_test: { kind: 'forbidden', meaning: 'For this test only.' } });
const pages = new ProblemPagesService(new PagesService(loadConfig({})), createLog({ level: 'silent', service: 'test' }));

async function send(error: unknown) {
  const request = aRequest();
  const response = aResponse(request);
  pages.send(error, request, response);
  return await response.sent();
}

it('shows an error of ours with its code, the hint for it and the request, hostile text as text', async () => {
  pages.explain({ page_test: 'Ask <b>Ada</b>.' });
  const { status, body } = await send(errors.page_test('no <script>'));
  expect(status).toBe(403);
  for (const text of ['No &lt;script&gt;.', 'Ask &lt;b&gt;Ada&lt;/b&gt;.', '<code>page_test</code>', '<code>request-1</code>']) {
    expect(body).toContain(text);
  }
});

it('hides the details of an unexpected error', async () => {
  const { status, body } = await send(new Error('the password is 1234'));
  expect([status, body.includes('1234'), body.includes('<code>internal</code>')]).toEqual([500, false, true]);
});
