/** Stores what an upload needs to continue after its page or program has ended, as `localStorage` does. The methods may be asynchronous. */
export interface UploadStore {
  getItem(key: string): string | null | Promise<string | null>;
  setItem(key: string, value: string): void | Promise<void>;
  removeItem(key: string): void | Promise<void>;
}

/** The part of Node.js that is used here; `getBuiltinModule` needs no import, which browsers and bundlers cannot resolve. */
interface NodeProcess {
  getBuiltinModule?(name: 'node:fs'): {
    mkdirSync(path: string, options: { recursive: boolean; mode: number }): void;
    readFileSync(path: string, encoding: 'utf8'): string;
    writeFileSync(path: string, data: string): void;
    renameSync(from: string, to: string): void;
    rmSync(path: string, options: { force: boolean }): void;
    lstatSync(path: string): { uid: number; mode: number; isDirectory(): boolean };
  };
  getBuiltinModule?(name: 'node:os'): { tmpdir(): string };
  getuid?(): number;
}

/** On Node.js files in the temporary folder, in pages `localStorage`; null: neither exists, or the browser blocks it. */
export function defaultStore(): UploadStore | null {
  try {
    const { process } = globalThis as { process?: NodeProcess };
    if (!process?.getBuiltinModule) return globalThis.localStorage;
    return storeOfProgram(process.getBuiltinModule.bind(process), process.getuid?.() ?? null);
  } catch {
    return null;
  }
}

/** `uid`: the user of the program; null on Windows, which has no such owners, and no temporary folder that users share. */
function storeOfProgram(builtin: NonNullable<NodeProcess['getBuiltinModule']>, uid: number | null): UploadStore {
  const [fs, os] = [builtin('node:fs'), builtin('node:os')];
  const folder = `${os.tmpdir()}/media-delivery-uploads${uid === null ? '' : `-${uid}`}`;
  /** Another user of the machine may have created the folder, or a link of its name. */
  const assertOwn = () => {
    const info = fs.lstatSync(folder);
    const isOwn = uid === null || (info.uid === uid && (info.mode & 0o077) === 0);
    if (!info.isDirectory() || !isOwn) throw new Error(`${folder} belongs to another user.`);
  };
  const fileOf = (key: string) => `${folder}/${encodeURIComponent(key)}`;
  return {
    getItem: (key) => {
      try {
        assertOwn();
        return fs.readFileSync(fileOf(key), 'utf8');
      } catch {
        return null; // the usual case: nothing is stored
      }
    },
    setItem: (key, value) => {
      fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
      assertOwn();
      fs.writeFileSync(`${fileOf(key)}.new`, value);
      fs.renameSync(`${fileOf(key)}.new`, fileOf(key)); // a program that is terminated here leaves the old value
    },
    removeItem: (key) => {
      assertOwn();
      fs.rmSync(fileOf(key), { force: true });
    },
  };
}
