import { describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { stageEmbedPages } from '../support/browser/embed-page-stage.js';

const stage = stageEmbedPages();

/** Phones upright and on their side, small frames in other sites, a desktop. */
const SIZES = [
  { width: 375, height: 667 },
  { width: 667, height: 375 },
  { width: 375, height: 211 },
  { width: 320, height: 180 },
  { width: 1280, height: 720 },
];

/** Whether the whole button can be seen and pressed. */
const IS_WHOLE = `(() => {
  const box = document.querySelector('#copy').getBoundingClientRect();
  const points = [[box.left + 2, box.top + 2], [box.right - 3, box.bottom - 3]];
  return points.every(([x, y]) => document.elementFromPoint(x, y)?.closest('#copy')) && box.right <= innerWidth && box.bottom <= innerHeight;
})()`;

describe('the Copy button of a share', () => {
  it.each(['light', 'dark'] as const)('is whole on screens of every size (%s)', async (colorScheme) => {
    const film = await stage.embed();
    for (const viewport of SIZES) {
      await stage.show(film, { viewport, colorScheme });
      await stage.page.getByText('Share', { exact: true }).click();
      await stage.page.getByRole('button', { name: 'Copy' }).waitFor();
      await takePicture(stage.page, `share ${viewport.width}x${viewport.height} ${colorScheme}`);
      expect([viewport, await stage.page.evaluate(IS_WHOLE)]).toEqual([viewport, true]);
    }
  });
});
