import { AsyncLocalStorage } from 'node:async_hooks';

type Values = Readonly<Record<symbol, unknown>>;

/** All variables share one storage: until Node 24, each storage takes time and memory for every promise that is created. */
const storage = new AsyncLocalStorage<Values>();

/** A value that belongs to the current chain of asynchronous calls, such as the id of the current request. */
export class ContextVariable<Value> {
  private readonly key = Symbol();

  /** The value of the innermost `run`; undefined outside of all. */
  get(): Value | undefined {
    return storage.getStore()?.[this.key] as Value | undefined;
  }

  /** Runs `work` with a value, which everything that `work` calls sees, also after it has returned. */
  run<Result>(value: Value, work: () => Result): Result {
    return storage.run({ ...storage.getStore(), [this.key]: value }, work);
  }
}
