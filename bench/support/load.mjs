import autocannon from 'autocannon';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);

/** Requests per second of a closed loop with `connections` clients. Throws when an answer is not a success. */
export async function measure(url, options = {}) {
  const { connections = 32, ...rest } = options;
  await run({ url, connections, duration: 2, ...rest }); // warm up
  const result = await run({ url, connections, duration: SECONDS, ...rest });
  const failures = result.non2xx - (options.expectRedirects ? result['3xx'] : 0) + result.errors;
  if (failures > 0) throw new Error(`${failures} requests to ${url} failed.`);
  return result.requests.total / result.duration;
}

async function run({ expectRedirects: _, ...options }) {
  return await autocannon({ pipelining: 1, ...options });
}

/** The middle of several alternating measurements, so that a noisy moment of the machine meets both sides. */
export async function compare(sides, rounds = 3) {
  const results = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measureSide] of Object.entries(sides)) results[name].push(await measureSide());
  }
  return Object.fromEntries(
    Object.entries(results).map(([name, values]) => [name, values.sort((a, b) => a - b)[Math.floor(values.length / 2)]]),
  );
}
