import { readFileSync } from 'node:fs';
import path from 'node:path';
import { run } from '../converter/run-invocation.js';

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

/** The difference of two colours of sRGB (0 to 255) as people see it (CIE 1976); 2 is just noticeable. */
export function colorDifference(one: readonly number[], other: readonly number[]): number {
  const [a, b] = [labOf(one), labOf(other)];
  return Math.hypot(...a.map((value, index) => value - (b[index] ?? 0)));
}

/** IEC 61966-2-1 and CIE 15. */
function labOf(color: readonly number[]): readonly number[] {
  const [red = 0, green = 0, blue = 0] = color.map((value) =>
    value > 10.31475 ? ((value / 255 + 0.055) / 1.055) ** 2.4 : value / 255 / 12.92,
  );
  const [x = 0, y = 0, z = 0] = [
    (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505,
    0.2126 * red + 0.7152 * green + 0.0722 * blue,
    (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089,
  ].map((value) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116));
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}
