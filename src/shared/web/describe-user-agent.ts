type Rule = readonly [pattern: RegExp, name: string];

/** The first match wins: nearly every browser also claims to be Chrome or Safari. */
const browsers: readonly Rule[] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|OPT|OPiOS|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\bVivaldi\//, 'Vivaldi'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:HeadlessChrome|Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
];

/** Phones first: Android says Linux too, and the iPhone says Mac OS X. */
const systems: readonly Rule[] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bWindows\b/, 'Windows'],
  [/\bMacintosh\b|\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
];

/** What a person recognises of a User-Agent header: `Chrome on Linux`, `okhttp`, `Unknown browser`. A description, not proof of anything. */
export function describeUserAgent(userAgent: string | null): string {
  const given = userAgent ?? '';
  const program = firstMatch(browsers, given) ?? firstProduct(given) ?? 'Unknown browser';
  const system = firstMatch(systems, given);
  return system ? `${program} on ${system}` : program;
}

const firstMatch = (rules: readonly Rule[], text: string): string | undefined => rules.find(([pattern]) => pattern.test(text))?.[1];

/** `curl/8.5.0` → `curl` (RFC 9110 section 10.1.5). Mozilla says nothing: every browser begins with it. */
function firstProduct(userAgent: string): string | undefined {
  const name = /^[\w.-]{1,40}(?=[/\s]|$)/.exec(userAgent)?.[0];
  return name === 'Mozilla' ? undefined : name;
}
