import { readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from './run-invocation.js';

/** Of 255: more than compression changes. */
const CLEARLY = 64;

/** A picture in memory. */
export class Pixels {
  constructor(
    readonly width: number,
    readonly height: number,
    private readonly bytes: Uint8Array,
  ) {}

  /** Red, green and blue from 0 to 255. */
  at(x: number, y: number): readonly number[] {
    const start = (y * this.width + x) * 3;
    return [...this.bytes.subarray(start, start + 3)];
  }

  /** The smallest box around all pixels that differ clearly from another picture's; null: none do. */
  differenceFrom(other: Pixels): { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number } | null {
    const box = { left: this.width, top: this.height, right: -1, bottom: -1 };
    for (let index = 0; index < this.bytes.length; index += 1) {
      if (Math.abs((this.bytes[index] ?? 0) - (other.bytes[index] ?? 0)) < CLEARLY) continue;
      const pixel = Math.floor(index / 3);
      const [x, y] = [pixel % this.width, Math.floor(pixel / this.width)];
      box.left = Math.min(box.left, x);
      box.top = Math.min(box.top, y);
      box.right = Math.max(box.right, x);
      box.bottom = Math.max(box.bottom, y);
    }
    return box.right === -1 ? null : box;
  }
}

/** The picture of an image, or of a video at a second. */
export async function readPixels(file: string, second = 0): Promise<Pixels> {
  const folder = path.dirname(file);
  const frame = `${path.basename(file)}.ppm`;
  const seek = second === 0 ? [] : ['-ss', String(second)];
  await run(folder, 'ffmpeg', ['-v', 'error', '-y', ...seek, '-i', file, '-frames:v', '1', '-pix_fmt', 'rgb24', frame]);
  const bytes = readFileSync(path.join(folder, frame));
  const [, width = '', height = ''] = /^P6\n(\d+) (\d+)\n255\n/.exec(bytes.subarray(0, 40).toString('latin1')) ?? [];
  return new Pixels(Number(width), Number(height), bytes.subarray(bytes.length - Number(width) * Number(height) * 3));
}
