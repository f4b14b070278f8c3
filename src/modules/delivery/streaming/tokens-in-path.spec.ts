import { expect, it } from '@jest/globals';
import { aRequest, aResponse } from '../../../../test/support/accounts/exchange.js';
import { tokensInPath } from './tokens-in-path.js';

const LINK = '/v5/deliverEmbed/0d0c5bd4-9a3e-4a4c-8a4e-5b8ac1b6a001';
const read = (url: string) => {
  const request = aRequest({ url });
  tokensInPath(request, aResponse(request), () => {});
  return [request.url, request.hasTokensInPath === true];
};

it('makes the tokens in the path of a link its query', () => {
  expect(read(`${LINK};admission=1.a.b/media/7.mp4`)).toEqual([`${LINK}/media/7.mp4?admission=1.a.b`, true]);
  expect(read(`${LINK};auth=OmV5;admission=1/media/7.mp4?x=1`)).toEqual([`${LINK}/media/7.mp4?auth=OmV5&admission=1&x=1`, true]);
});

it.each([`${LINK}/media/7.mp4;a=1`, `${LINK}/media/7.mp4?auth=;`, '/v5/deliverEmbed/nothing;a=1/media/7.mp4', '/v5/format/;a=1'])(
  'leaves %s as it is',
  (url) => expect(read(url)).toEqual([url, false]),
);
