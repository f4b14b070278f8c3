import autocannon from 'autocannon';

const client = 'client_id=bench&redirect_uri=https%3A%2F%2Fclient.example%2Fcb';

export const pairsQuery = {
  client_id: 'bench',
  response_type: 'code',
  redirect_uri: 'https://client.example/cb',
  scope: 'api',
  state: 's',
};

/** Each client authorizes with the session cookie and exchanges the code; returns the number of pairs and the seconds that they took. */
export async function measurePairs(target, { connections = 32, seconds, warmUp = 2 }) {
  if (warmUp > 0) await run(target, connections, warmUp);
  return await run(target, connections, seconds);
}

async function run({ url, authorize, token, cookie }, connections, duration) {
  let pairs = 0;
  let failures = 0;
  const result = await autocannon({
    url,
    connections,
    duration,
    requests: [
      {
        method: 'GET',
        path: `${authorize}?${new URLSearchParams(pairsQuery)}`,
        headers: { cookie },
        onResponse: (_status, _body, context, headers) => {
          context.code = /[?&]code=([^&]+)/.exec(headers.location ?? headers.Location ?? '')?.[1];
          if (!context.code) failures += 1;
        },
      },
      {
        method: 'POST',
        path: token,
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        setupRequest: (request, context) => ({ ...request, body: `grant_type=authorization_code&${client}&code=${context.code}` }),
        onResponse: (status) => {
          if (status === 200) pairs += 1;
          else failures += 1;
        },
      },
    ],
  });
  if (failures > 0) throw new Error(`${failures} requests of the pairs at ${url} failed.`);
  return { pairs, seconds: result.duration };
}
