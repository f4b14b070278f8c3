import { readFile } from 'node:fs/promises';

/** The addresses that /etc/hosts (or `file`) gives a host; none when there is no such file. */
export async function readHostsFile(hostname: string, file: string): Promise<readonly string[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  const wanted = hostname.toLowerCase().replace(/\.$/, '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = (line.split('#')[0] ?? '').trim().split(/\s+/);
    return names.some((name) => name.toLowerCase() === wanted) ? [address] : [];
  });
}
