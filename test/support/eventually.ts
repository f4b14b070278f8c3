const STEP_MS = 20;

/** Polls until `condition` answers something truthy, and answers that; fails after the deadline with the last answer. */
export async function eventually<T>(condition: () => Promise<T> | T, withinMs = 5_000): Promise<T> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms; last: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}
