import { describe, expect, it } from '@jest/globals';
import { NARROW, scrollsSideways, seriousFindings, takePicture, ZOOMED } from '../support/browser/chromium.js';
import { stageUploadPages } from '../support/browser/upload-page-stage.js';
import { aDropsite } from '../support/delivery/dropsites.js';
import { eventually } from '../support/eventually.js';

const MB = 1_000_000;

const stage = stageUploadPages();

describe('the page', () => {
  it('can be used by keyboard alone', async () => {
    const { dropsite } = await aDropsite(stage.app, { password: 'open sesame' });
    const file = stage.aFileOf('keys.txt', 10);
    await stage.visit(dropsite.link);
    await stage.page.getByRole('button', { name: 'Choose files' }).waitFor();
    await tabTo('Choose files');
    const [chooser] = await Promise.all([stage.page.waitForEvent('filechooser'), stage.page.keyboard.press('Enter')]);
    await chooser.setFiles([file, stage.aFileOf('keys-2.txt', 20)]);
    await tabTo('Remove keys-2.txt');
    await stage.page.keyboard.press('Enter');
    await stage.page.getByRole('button', { name: 'Remove keys-2.txt' }).waitFor({ state: 'detached' });
    expect(await focused()).toBe('Remove keys.txt');
    await tabTo('password');
    await stage.page.keyboard.type('open sesame');
    await stage.page.keyboard.press('Enter');
    await stage.delivered();
    await eventually(async () => (await focused()).includes('delivered'));
    await tabTo('Send more files');
    await stage.page.keyboard.press('Space');
    await stage.page.getByRole('button', { name: 'Choose files' }).waitFor();
    expect(await focused()).toBe('Choose files');
  });

  it('labels every control, has unique ids, and announces progress sparingly', async () => {
    const { dropsite } = await aDropsite(stage.app, { password: 'open sesame' });
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('named.bin', 30 * MB));
    expect(await flaws()).toEqual([]);
    await stage.page.getByLabel('Password').fill('open sesame');
    await stage.page.evaluate(`
      globalThis.spoken = [];
      const region = document.querySelector('[role=status]');
      new MutationObserver(() => spoken.push(region.textContent)).observe(region, { childList: true, characterData: true, subtree: true });
    `);
    stage.wire.rate = 8 * MB;
    await stage.press(/^Upload/);
    await stage.reach(30);
    expect(await flaws()).toEqual([]);
    expect(await stage.page.getByRole('progressbar', { name: 'Uploading 1 file' }).count()).toBe(1);
    expect(await stage.page.getByRole('progressbar', { name: 'Progress of named.bin' }).count()).toBe(1);
    await stage.delivered();
    const spoken = await stage.page.evaluate<string[]>('spoken');
    expect(spoken[0]).toBe('The upload has started.');
    expect(spoken.length).toBeLessThan(4);
    expect(await flaws()).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('fits a phone of 360 pixels in every state (%s)', async (colorScheme) => {
    await stage.open({ viewport: { width: 360, height: 740 }, hasTouch: true, colorScheme });
    const { dropsite } = await aDropsite(stage.app, { name: `A${'n'.repeat(60)}ame`, description: 'x'.repeat(90), allowAnonymous: false });
    const file = stage.aFileOf(`phone/${'a-very-long-name-'.repeat(6)}.bin`, 30 * MB);
    await stage.visit(dropsite.link);
    const fits = async (state: string) => {
      const width = await stage.page.evaluate<number>('document.documentElement.scrollWidth');
      const controls = await stage.page.locator('button:visible, input:visible, a:visible').all();
      const heights = await Promise.all(controls.map(async (control) => (await control.boundingBox())?.height ?? 0));
      const small = heights.filter((height) => height > 0 && height < 24); // WCAG 2.5.8; 0: it has been hidden since it was listed
      expect([state, width, small]).toEqual([state, 360, []]);
      await takePicture(stage.page, `upload phone ${colorScheme} ${state}`);
    };
    await stage.page.getByRole('button', { name: 'Choose files' }).waitFor();
    await fits('empty');
    await stage.choose(file);
    await fits('chosen');
    await stage.press(/^Upload/);
    await fits('needs e-mail');
    await stage.page.getByLabel('E-mail').fill('ada@example.org');
    stage.wire.rate = 6 * MB;
    await stage.press(/^Upload/);
    await stage.reach(10);
    await fits('running');
    await stage.press('Pause');
    await stage.heading('Paused').waitFor();
    await fits('paused');
    await stage.press('Resume');
    stage.wire.cut();
    await stage.page.getByText('No connection').waitFor();
    await fits('no connection');
    stage.wire.mend();
    await stage.page.reload();
    await stage.heading('Continue your upload').waitFor();
    await fits('to go on with');
    stage.wire.rate = Number.POSITIVE_INFINITY;
    await stage.choose(file);
    await stage.press('Resume the upload');
    await stage.delivered();
    await fits('delivered');
  });

  it.each([
    ['in a narrow window', NARROW],
    ['at 200 % zoom', ZOOMED],
  ])('can be used with a screen reader, and %s', async (_, viewport) => {
    const { dropsite } = await aDropsite(stage.app, { name: 'Photos', description: 'Everything that you took.', password: 'open sesame' });
    await stage.open({ viewport });
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf(`${'a very long name '.repeat(6)}.txt`, 10));
    expect(await scrollsSideways(stage.page)).toBe(false);
    expect(await seriousFindings(stage.page)).toEqual([]);
  });

  it('permits its scripts only what they need', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const response = await stage.visit(dropsite.link);
    expect(response?.headers()['content-security-policy']).toBe(
      `default-src 'none'; style-src 'self'; img-src 'self'; script-src 'self'; connect-src 'self' ${stage.wire.url}; worker-src 'self'; ` +
        `form-action 'self'; base-uri 'none'; frame-ancestors 'none'`,
    );
    expect(await response?.text()).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=/i);
  });

  it('says that it needs JavaScript', async () => {
    await stage.open({ javaScriptEnabled: false });
    const { dropsite } = await aDropsite(stage.app);
    await stage.visit(dropsite.link);
    expect(await stage.page.locator('noscript').innerText()).toContain('Uploads require JavaScript.');
    await takePicture(stage.page, 'upload without JavaScript');
    expect(await stage.page.getByRole('button').count()).toBe(0);
  });

  it('says that it needs a secure connection', async () => {
    await stage.page.addInitScript("Object.defineProperty(window, 'isSecureContext', { value: false })");
    const { dropsite } = await aDropsite(stage.app);
    await stage.visit(dropsite.link);
    await stage.page.getByText('Uploads require a secure connection').waitFor();
    expect(await stage.page.getByRole('button').count()).toBe(0);
  });

  it('writes hostile names as text', async () => {
    const { dropsite } = await aDropsite(stage.app, {
      name: '<img src=x onerror=alert(1)>"',
      description: '</p><script>alert(1)</script>',
    });
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('<img src=x onerror=alert(1)>.txt', 10));
    await stage.press(/^Upload/);
    await stage.delivered();
    expect(await stage.page.locator('img').count()).toBe(1); // the logo
    expect(stage.complaints).toEqual([]);
  });
});

/** What the keyboard is on: label, text or id. */
async function focused(): Promise<string> {
  const element = stage.page.locator(':focus');
  if ((await element.count()) === 0) return '';
  return (await element.getAttribute('aria-label')) || (await element.textContent())?.trim() || (await element.getAttribute('id')) || '';
}

async function tabTo(name: string): Promise<void> {
  for (let presses = 0; presses < 20; presses += 1) {
    if ((await focused()) === name) return;
    await stage.page.keyboard.press('Tab');
  }
  throw new Error(`The keyboard does not come to ${name}; it is on ${await focused()}.`);
}

/** What stands between the page and people who use it with a screen reader. */
async function flaws(): Promise<string[]> {
  return await stage.page.evaluate<string[]>(`(() => {
    const visible = (element) => element.checkVisibility();
    const nameOf = (element) => {
      const labels = [...(element.labels ?? [])].map(({ textContent }) => textContent);
      const others = (element.getAttribute('aria-labelledby')?.split(' ') ?? []).map((id) => document.getElementById(id)?.textContent);
      return [element.getAttribute('aria-label'), ...labels, ...others, element.textContent].join('').trim();
    };
    const controls = [...document.querySelectorAll('button, input, progress, section, ul[aria-label]')].filter(visible);
    const ids = [...document.querySelectorAll('[id]')].map(({ id }) => id);
    const levels = [...document.querySelectorAll('h1, h2, h3')].filter(visible).map(({ tagName }) => Number(tagName[1]));
    const described = [...document.querySelectorAll('[aria-describedby]')].map((element) => element.getAttribute('aria-describedby'));
    return [
      ...controls.filter((control) => nameOf(control) === '').map(({ outerHTML }) => 'no name: ' + outerHTML),
      ...ids.filter((id, index) => ids.indexOf(id) !== index).map((id) => 'twice: ' + id),
      ...levels.filter((level, index) => level > (levels[index - 1] ?? 0) + 1).map((level) => 'a heading under none, of level ' + level),
      ...described.filter((id) => !document.getElementById(id)).map((id) => 'describes nothing: ' + id),
    ];
  })()`);
}
