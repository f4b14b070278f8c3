import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { ContextVariable } from './context-variable.js';

describe('ContextVariable', () => {
  it('has a value in everything that its work calls, also later, and outside none', async () => {
    const name = new ContextVariable<string>();
    const seen: (string | undefined)[] = [];
    await name.run('one', async () => {
      await setImmediate();
      seen.push(name.get());
      await name.run('two', async () => await Promise.resolve().then(() => seen.push(name.get())));
      seen.push(name.get());
    });
    expect([...seen, name.get()]).toEqual(['one', 'two', 'one', undefined]);
  });

  it('leaves the values of other variables alone, and those of other calls', async () => {
    const [name, size] = [new ContextVariable<string>(), new ContextVariable<number | null>()];
    const both = async () => await Promise.resolve([name.get(), size.get()]);
    const nested = name.run('one', async () => [await size.run(1, both), await size.run(null, both), await both()]);
    const other = size.run(2, both);
    expect(await nested).toEqual([
      ['one', 1],
      ['one', null],
      ['one', undefined],
    ]);
    expect(await other).toEqual([undefined, 2]);
  });
});
