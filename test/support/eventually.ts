const STEP_MS = 20;

/** Generous, because a wait that succeeds costs nothing and other work may keep the machine busy; well below the time of a test, so that its error is seen. */
export const MAX_WAIT_MS = 100_000;

/** Polls until `condition` answers something truthy, and answers that; fails after the deadline with the last answer. */
export async function eventually<T>(condition: () => Promise<T> | T, withinMs = MAX_WAIT_MS): Promise<NonNullable<T>> {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const answer = await condition();
    if (answer) return answer;
    if (Date.now() > deadline) throw new Error(`Not within ${withinMs} ms; last: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, STEP_MS));
  }
}

/** A change, and what becomes true after it. */
interface Consequence {
  readonly change: () => Promise<unknown>;
  readonly effect: () => Promise<boolean>;
}

/** Repeats a change until its effect follows within `limitMs`: other work may delay a few of them on a busy machine, but not every one. */
export async function promptly(limitMs: number, { change, effect }: Consequence): Promise<void> {
  await eventually(async () => {
    await change();
    const changedAt = performance.now();
    await eventually(effect);
    return performance.now() - changedAt <= limitMs;
  });
}
