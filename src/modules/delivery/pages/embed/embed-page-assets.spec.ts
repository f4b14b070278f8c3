import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import * as mediaChrome from 'media-chrome/dist/all.js';
import { CONTROLS_STYLES } from './embed-page-assets.js';

const page = readFileSync(new URL('./embed-page.eta', import.meta.url), 'utf8');

/** The class of an element: `MediaPlayButton` of `media-play-button`. */
const classOf = (element: string): string => element.replace(/(?:^|-)(\w)/g, (_, letter: string) => letter.toUpperCase());

it('are the styles that the elements of the page insert', () => {
  const classes: Readonly<Record<string, unknown>> = mediaChrome;
  const elements = [...new Set(page.match(/(?<=<)media-[\w-]+/g)), 'media-chrome-menu-item'];
  const templates = elements.map((element) =>
    (classes[classOf(element)] as { getTemplateHTML: (attributes: object) => string }).getTemplateHTML({}),
  );
  const styles = templates.flatMap((html) => [...html.matchAll(/<style[^>]*>(.*?)<\/style>/gs)].map(([, style = '']) => style));
  expect([...CONTROLS_STYLES].sort()).toEqual(
    [...new Set(styles.map((style) => createHash('sha256').update(style).digest('base64')))].sort(),
  );
});
