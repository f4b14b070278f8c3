import { describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { MEDIA, stageEmbedPages, subtitled } from '../support/browser/embed-page-stage.js';
import { aTone } from '../support/browser/small-media.js';
import type { NewEmbed, NewTrack } from '../support/delivery/embeds.js';

const stage = stageEmbedPages();
const modes = async () => (await stage.page.evaluate(`[...${MEDIA}.textTracks].map(({ mode }) => mode)`)) as string[];

describe('subtitles', () => {
  it.each([
    [{ behaviour: 0 }, 'de-DE', []],
    [{ behaviour: 1, lang: 'ger' }, 'en-GB', ['disabled', 'showing']],
    [{ behaviour: 1, lang: 'fra' }, 'en-GB', ['disabled', 'disabled']],
    [{ behaviour: 2 }, 'de-AT', ['disabled', 'showing']],
    [{ behaviour: 2 }, 'en-US', ['showing', 'disabled']],
    [{ behaviour: 2 }, 'fr-FR', ['disabled', 'disabled']],
    [{ behaviour: 3 }, 'fr-FR', ['showing', 'disabled']],
    [{ behaviour: 3, default: 1 }, 'fr-FR', ['disabled', 'showing']],
    [{ behaviour: 4, default: 1, lang: 'ger' }, 'de-DE', ['disabled', 'disabled']],
  ])('of %j for a viewer of %s are %j', async (subtitle, locale, expected) => {
    await stage.show(await stage.embed(stage.film(subtitled(subtitle))), { locale });
    await stage.until(`${MEDIA}.readyState >= 1`);
    expect(await modes()).toEqual(expected);
    const wanted = expected.indexOf('showing');
    if (wanted !== -1) {
      await stage.until(`${MEDIA}.textTracks[${wanted}].cues?.length > 0`);
      expect(await stage.page.evaluate(`${MEDIA}.textTracks[${wanted}].cues[0].text`)).toBe(['Good evening', 'Guten Abend'][wanted]);
    }
    expect(stage.complaints).toEqual([]);
  });

  it('can be chosen and turned off, and remain when the file is loaded again', async () => {
    await stage.show(await stage.embed(stage.film(subtitled({ behaviour: 4 }))));
    await stage.play();
    await stage.choose('closed captions', 'Deutsch');
    await stage.until(`${MEDIA}.textTracks[1].mode === 'showing'`);
    await stage.page.evaluate(`${MEDIA}.dispatchEvent(new Event('error'))`);
    await stage.until(`${MEDIA}.readyState >= 2 && ${MEDIA}.currentTime > 0.3`);
    expect(await modes()).toEqual(['disabled', 'showing']);
    await takePicture(stage.page, 'embed subtitles');
    await stage.choose('closed captions', 'Off');
    await stage.until(`${MEDIA}.textTracks[1].mode === 'disabled'`);
    expect(await modes()).toEqual(['disabled', 'disabled']);
  });

  it('that are always on can be changed but not turned off', async () => {
    await stage.show(await stage.embed(stage.film(subtitled({ behaviour: 3 }))));
    await stage.until(`${MEDIA}.readyState >= 1`);
    await stage.page.evaluate(`${MEDIA}.textTracks[0].mode = 'disabled'`);
    await stage.until(`${MEDIA}.textTracks[0].mode === 'showing'`);
    await stage.page.getByRole('button', { name: 'closed captions' }).click();
    expect(await stage.page.getByRole('menuitemradio').allTextContents()).toEqual(['English', 'Deutsch']);
    await stage.until(`document.activeElement?.id === 'captions'`);
    await stage.page.keyboard.press('ArrowDown');
    await stage.page.keyboard.press('Enter');
    await stage.until(`${MEDIA}.textTracks[1].mode === 'showing'`);
    expect(await modes()).toEqual(['disabled', 'showing']);
  });

  it('of sound are shown above its controls', async () => {
    const talk: NewEmbed = {
      ...stage.film(subtitled({ behaviour: 3 })),
      type: 'audio',
      original: { fileName: 'Talk.wav', content: aTone(3) },
      renditions: {},
    };
    await stage.show(await stage.embed(talk), { viewport: { width: 640, height: 200 } });
    await stage.play();
    await stage.page.getByText('Good evening').waitFor();
    await stage.page.getByText('Settings').click();
    await stage.page.getByLabel('Subtitles').selectOption('Deutsch');
    await stage.page.getByText('Guten Abend').waitFor();
    expect(await stage.page.getByLabel('Subtitles').locator('option').allTextContents()).toEqual(['English', 'Deutsch']);
    expect(stage.complaints).toEqual([]);
    await takePicture(stage.page, 'embed audio');
  });
});

const track = (role: string, content: string, language = 'en'): NewTrack => ({
  ...{ role, language, content },
  ...{ fileName: `${role}-${language}`, fileExtension: 'vtt' },
});

describe('chapters', () => {
  const CHAPTERS = 'WEBVTT\n\n00:00.000 --> 00:02.000\nThe bridge\n\n00:02.000 --> 00:04.000\nThe <i>harbour</i> & the sea\n';
  const chapters = [track('chapters', CHAPTERS.replace('bridge', 'Brücke'), 'de'), track('chapters', CHAPTERS)];
  const CHECKED = `document.querySelector('#chapters [aria-checked="true"]')?.textContent`;

  it('are marked on the seek bar, and reached by keyboard', async () => {
    await stage.show(await stage.embed(stage.film({ beside: chapters })), { locale: 'en-GB', viewport: { width: 800, height: 450 } });
    await stage.play();
    await stage.page.evaluate(`${MEDIA}.pause()`);
    await stage.until(`document.querySelector('media-time-range').shadowRoot.querySelectorAll('#segments-clipping rect').length >= 2`);
    await stage.until(`${CHECKED} === 'The bridge'`);
    const button = stage.page.getByRole('button', { name: 'chapters' });
    await button.focus();
    await stage.page.keyboard.press('Enter');
    await stage.until(`document.activeElement?.parentElement?.id === 'chapters'`);
    expect(await stage.page.getByRole('menuitemradio').allTextContents()).toEqual(['The bridge', 'The harbour & the sea']);
    await takePicture(stage.page, 'embed chapters');
    await stage.page.keyboard.press('ArrowDown');
    await stage.page.keyboard.press('Enter');
    await stage.until(`${MEDIA}.currentTime === 2 && ${CHECKED} === 'The harbour & the sea'`);
    await stage.until(`document.activeElement?.id === 'chapters-button'`);
    await stage.page.evaluate(`${MEDIA}.currentTime = 3`);
    await button.click();
    await stage.page.getByRole('menuitemradio', { name: 'The harbour' }).click(); // to its beginning
    await stage.until(`${MEDIA}.currentTime === 2`);
    await stage.page.locator('media-time-range').hover();
    await stage.until(
      `document.querySelector('media-time-range').shadowRoot.querySelector('media-preview-chapter-display').ariaValueText?.includes('harbour')`,
    );
    expect(stage.complaints).toEqual([]);
  });

  it('of a file with thousands of them do not stop the page', async () => {
    const time = (n: number) => `${Math.floor(n / 60)}:${n % 60}:00`;
    const cues = Array.from({ length: 20_000 }, (_, n) => `${time(n)} --> ${time(n + 1)}\n<script>alert(1)</script>\n`);
    const content = `WEBVTT\n\n${cues.join('\n')}`;
    await stage.show(await stage.embed(stage.film({ beside: [track('chapters', content)] })));
    await stage.until(`document.querySelector('track')?.readyState === 2`);
    await stage.play();
    expect(await stage.page.getByRole('button', { name: 'chapters' }).count()).toBe(0);
    expect(stage.complaints).toEqual([]);
  });
});

describe('descriptions of the picture', () => {
  it('are announced to screen readers, in the language of the viewer', async () => {
    const said = (text: string) => `WEBVTT\n\n00:00.000 --> 00:10.000\n${text}\n`;
    const beside = [track('descriptions', said('Ein <b>Boot</b>.'), 'de'), track('descriptions', said('A <b>boat</b>.'))];
    await stage.show(await stage.embed(stage.film({ beside })), { locale: 'en-GB' });
    await stage.play();
    const announcement = stage.page.locator('[aria-live="assertive"]', { hasText: 'A boat.' });
    await announcement.waitFor({ state: 'attached' });
    expect(await stage.page.evaluate(`document.querySelector('#description').getBoundingClientRect().width <= 1`)).toBe(true); // not seen
    expect(await modes()).toEqual(['hidden']);
    expect(stage.complaints).toEqual([]);
  });
});
