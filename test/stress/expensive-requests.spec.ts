import { beforeAll, expect, it } from '@jest/globals';
import { aUser } from '../support/accounts/scenario.js';
import { aFilm, stageDeliverEmbed } from '../support/delivery/deliver-embed-stage.js';
import { tokenOf } from '../support/media/uploads.js';

interface Expensive {
  readonly name: string;
}

interface Requests {
  readonly expensiveRequests: () => readonly Expensive[];
  readonly sendExpensive: (url: string, request: Expensive, token: string | null) => Promise<number>;
}

/** The bench `admission` sends the same ones, and measures how long each keeps the event loop. */
const REQUESTS = '../../bench/support/expensive-requests.mjs';

const stage = stageDeliverEmbed();
let token: string;

beforeAll(async () => {
  token = await tokenOf(stage.app, await aUser(stage.app));
});

it('requests that are expensive to read are answered, with or without credentials, and others beside them', async () => {
  const { expensiveRequests, sendExpensive } = (await import(REQUESTS)) as Requests;
  for (const request of expensiveRequests()) {
    for (const credentials of [token, null]) {
      const [status, live] = await Promise.all([sendExpensive(stage.app.url, request, credentials), fetch(`${stage.app.url}/health/live`)]);
      expect({ request: request.name, isAnswered: status < 500, live: live.status }).toEqual({
        request: request.name,
        isAnswered: true,
        live: 200,
      });
      await live.text();
    }
  }
}, 300_000);

it('subtitles of ten megabytes are delivered whole, while other requests are answered', async () => {
  const two = (value: number) => String(Math.floor(value)).padStart(2, '0');
  const time = (n: number) => `${two(n / 3_600)}:${two((n / 60) % 60)}`;
  const content = Array.from({ length: 200_000 }, (_, n) => `1\n${time(n)}:01,000 --> ${time(n)}:02,000\n<v Voice>Hello\n\n`).join('');
  const { link, mediaIds } = await stage.embed({ ...aFilm, beside: [{ language: 'en', fileName: 'x', fileExtension: 'srt', content }] });
  const reading = stage.get(`/v5/deliverEmbed/${link}/subtitles/${mediaIds['x.srt']}.vtt`);
  let others = 0;
  let isRead = false;
  void reading.finally(() => (isRead = true));
  while (!isRead) {
    expect((await stage.json(link)).status).toBe(200);
    others += 1;
  }
  expect((await reading).text.match(/-->/g)).toHaveLength(200_000);
  expect(others).toBeGreaterThan(2);
});
