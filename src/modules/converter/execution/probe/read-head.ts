import { open } from 'node:fs/promises';

/** The first bytes of a file, or as many as it has. */
export async function readHead(name: string, bytes = 4_096): Promise<Buffer> {
  const file = await open(name);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
