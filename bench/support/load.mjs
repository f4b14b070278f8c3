import autocannon from 'autocannon';

const SECONDS = Number(process.env.BENCH_SECONDS ?? 8);
/** A server is warm when it no longer gets faster: V8 compiles functions that are called often, which takes longer for more code. */
const WARM_UP = { seconds: 2, mostRuns: 12, growth: 1.03 };

/** Requests per second of a closed loop with `connections` clients, to a warm server. Throws if a response is not a success. */
export async function measure(url, options = {}) {
  const { connections = 32, ...rest } = options;
  await warmUp({ url, connections, ...rest });
  const result = await run({ url, connections, duration: SECONDS, ...rest });
  const failures = result.non2xx - (options.expectRedirects ? result['3xx'] : 0) + result.errors;
  if (failures > 0) throw new Error(`${failures} requests to ${url} failed.`);
  return result.requests.total / result.duration;
}

/** Sends requests until two consecutive runs are no faster than the best one before them. */
async function warmUp(options) {
  let best = 0;
  for (let runs = 0, slower = 0; runs < WARM_UP.mostRuns && slower < 2; runs += 1) {
    const { requests, duration } = await run({ ...options, duration: WARM_UP.seconds });
    const rate = requests.total / duration;
    slower = rate > best * WARM_UP.growth ? 0 : slower + 1;
    best = Math.max(best, rate);
  }
}

async function run({ expectRedirects: _, ...options }) {
  return await autocannon({ pipelining: 1, ...options });
}

/** The median of several measurements of each side, taken alternately, so that other load on the machine affects all sides. */
export async function compare(sides, rounds = 3) {
  const results = Object.fromEntries(Object.keys(sides).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, measureSide] of Object.entries(sides)) results[name].push(await measureSide());
  }
  return Object.fromEntries(
    Object.entries(results).map(([name, values]) => [name, values.sort((a, b) => a - b)[Math.floor(values.length / 2)]]),
  );
}
