import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const css = readFileSync(new URL('./assets/site.css', import.meta.url), 'utf8');
const coloursOf = (selector: string) =>
  [...css.matchAll(new RegExp(`${selector} \\{([^}]*)\\}`, 'g'))].map(([, block]) => readColours(block ?? ''));
const [light, dark] = coloursOf(':root');
const [lightConsole, darkConsole] = coloursOf('body\\.as-console');

function readColours(block: string): Map<string, string> {
  return new Map([...block.matchAll(/--([\w-]+): (#[0-9a-f]{6});/g)].map(([, name = '', value = '']) => [name, value]));
}

/** Relative luminance, WCAG 2.2. */
function luminance(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => {
    const channel = Number.parseInt(colour.slice(at, at + 2), 16) / 255;
    return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function contrast(one: string, other: string): number {
  const [lighter = 0, darker = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a);
  return (lighter + 0.05) / (darker + 0.05);
}

const TEXT = 4.5; // success criterion 1.4.3
const CONTROL = 3; // success criterion 1.4.11

describe.each([
  ['light', light],
  ['dark', dark],
  ['light account', lightConsole],
  ['dark account', darkConsole],
])('the %s colours', (_name, colours) => {
  it.each([
    ['text', 'page', TEXT],
    ['text', 'surface', TEXT],
    ['muted', 'page', TEXT],
    ['muted', 'surface', TEXT],
    ['accent', 'page', TEXT],
    ['accent', 'surface', TEXT],
    ['error', 'error-surface', TEXT],
    ['error', 'surface', TEXT],
    ['good', 'good-surface', TEXT],
    ['control', 'page', CONTROL],
    ['control', 'surface', CONTROL],
    colours?.has('fill') ? ['on-fill', 'fill', TEXT] : ['on-accent', 'accent', TEXT],
  ] as const)('%s on %s has sufficient contrast', (foreground, background, least) => {
    expect(contrast(colours?.get(foreground) ?? '', colours?.get(background) ?? '')).toBeGreaterThanOrEqual(least);
  });
});

it('loads no resources of other origins', () => {
  expect(css).not.toMatch(/url\(|@import|@font-face/);
});
