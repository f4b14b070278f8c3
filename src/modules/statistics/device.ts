/** The classes of devices that statistics distinguish. */
export const DEVICES = ['phone', 'tablet', 'desktop', 'television', 'other'] as const;
export type Device = (typeof DEVICES)[number];

/** Words in user agents, in the order in which they decide: televisions run Android, and tablets say so or are not Mobile. */
const WORDS: readonly (readonly [Device, RegExp])[] = [
  [
    'television',
    /\b(?:smart-?tv|hbbtv|appletv|apple tv|googletv|android tv|bravia|web0s|webos|roku|crkey|aft[a-z]\b|tizen.*\btv\b|tv safari)/i,
  ],
  ['tablet', /\b(?:ipad|tablet|kindle|silk|playbook)\b|\bandroid\b(?!.*\bmobile\b)/i],
  ['phone', /\b(?:iphone|ipod|mobile|phone)\b/i],
  ['desktop', /\b(?:windows nt|macintosh|x11|cros)\b/i],
];
/** Characters of a user agent that are read; real ones are shorter, and the rest would only cost time. */
const MAX_CHARACTERS = 400;

/** The class of the device that sends this User-Agent; an iPad that asks for desktop pages says that it is a Macintosh. */
export function deviceOf(userAgent: string | undefined): Device {
  const text = (userAgent ?? '').slice(0, MAX_CHARACTERS);
  return WORDS.find(([, words]) => words.test(text))?.[0] ?? 'other';
}
