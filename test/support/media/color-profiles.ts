/** Colour profiles of version 2 (ICC.1:2001-04), which test files embed. They are written here, so that no package of profiles is needed. */

const uint32 = (value: number): Buffer => Buffer.from([value >>> 24, (value >> 16) & 255, (value >> 8) & 255, value & 255]);
const fixed = (value: number): Buffer => uint32(Math.round(value * 65_536) >>> 0);
const xyz = (...values: readonly number[]): Buffer => Buffer.concat([Buffer.from('XYZ \0\0\0\0'), ...values.map(fixed)]);
/** A curve that is a power, as a number of 8.8 bits. */
const gamma = (power: number): Buffer => {
  const exponent = Math.round(power * 256);
  return Buffer.concat([Buffer.from('curv\0\0\0\0'), uint32(1), Buffer.from([exponent >> 8, exponent & 255, 0, 0])]);
};
const description = (text: string): Buffer =>
  Buffer.concat([Buffer.from('desc\0\0\0\0'), uint32(text.length + 1), Buffer.from(`${text}\0`), Buffer.alloc(78)]);
/** The white of profiles (D50). */
const WHITE = [0.9642, 1, 0.8249] as const;

function profile(space: 'RGB ' | 'GRAY', name: string, tags: Readonly<Record<string, Buffer>>): Buffer {
  const all = Object.entries({ desc: description(name), wtpt: xyz(...WHITE), cprt: Buffer.from('text\0\0\0\0-\0'), ...tags });
  const contents = all.map(([, content]) => Buffer.concat([content, Buffer.alloc((4 - (content.length % 4)) % 4)]));
  let at = 132 + 12 * all.length;
  const table = all.map(([tag, content], index) => {
    const entry = Buffer.concat([Buffer.from(tag), uint32(at), uint32(content.length)]);
    at += contents[index]?.length ?? 0;
    return entry;
  });
  const head = Buffer.alloc(128);
  uint32(at).copy(head, 0);
  uint32(0x02100000).copy(head, 8);
  head.write(`mntr${space}XYZ `, 12);
  head.write('acsp', 36);
  Buffer.concat(WHITE.map(fixed)).copy(head, 68);
  return Buffer.concat([head, uint32(all.length), ...table, ...contents]);
}

type Primary = readonly [x: number, y: number, z: number];
const rgb = (name: string, power: number, [red, green, blue]: readonly [Primary, Primary, Primary]): Buffer =>
  profile('RGB ', name, {
    ...{ rXYZ: xyz(...red), gXYZ: xyz(...green), bXYZ: xyz(...blue) },
    ...{ rTRC: gamma(power), gTRC: gamma(power), bTRC: gamma(power) },
  });

/** Adobe RGB (1998), ProPhoto RGB, and grey in linear light. */
export const PROFILES = {
  adobe: rgb('Adobe', 2.199, [
    [0.60974, 0.31111, 0.01947],
    [0.20528, 0.62567, 0.06087],
    [0.14919, 0.06322, 0.74457],
  ]),
  prophoto: rgb('ProPhoto', 1.8, [
    [0.79767, 0.28804, 0],
    [0.13519, 0.71188, 0],
    [0.03134, 0.00008, 0.82489],
  ]),
  linearGrey: profile('GRAY', 'Linear grey', { kTRC: gamma(1) }),
} as const;
