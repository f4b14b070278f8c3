import { describe, expect, it } from '@jest/globals';
import { useConsole } from '../support/browser/console-stage.js';
import type { DropsiteBody } from '../support/delivery/dropsites.js';
import { eventually } from '../support/eventually.js';
import { call } from '../support/media/uploads.js';

describe('the shares of the console', () => {
  const stage = useConsole({ worker: 'off' });
  const api = <Body>(address: string, more: object = {}) =>
    call<Body>(`${stage.app.url}/v5/dropsite${address}`, { token: stage.token, ...more });
  const create = async (name: string) => (await api<{ id: number }>('', { method: 'POST', body: { name } })).body.id;
  const active = async () => (await api<DropsiteBody[]>('')).body.map(({ name }) => name);
  const selected = (): unknown => JSON.parse(new URL(stage.page.url()).searchParams.get('selected') ?? '[]');

  it('stay selected after a reload, as long as they exist and have not been ended', async () => {
    const { page } = stage;
    const [first, second, third] = [await create('First'), await create('Second'), await create('Third')];
    await stage.open('/shares?kind=dropsite');
    await page.getByRole('checkbox', { name: 'Select First' }).check();
    await page.getByRole('checkbox', { name: 'Select Third' }).check();
    expect(selected()).toEqual([first, third]);
    await page.reload();
    await page.getByRole('button', { name: 'End 2 selected' }).waitFor();
    expect(await page.getByRole('checkbox', { name: 'Select Third' }).isChecked()).toBe(true);
    expect(await page.getByRole('checkbox', { name: 'Select Second' }).isChecked()).toBe(false);

    await api(`/${third}`, { method: 'DELETE' });
    await page.reload();
    await page.getByRole('checkbox', { name: 'Select Second' }).check();
    await page.getByRole('button', { name: 'End 2 selected' }).waitFor();
    await page.getByRole('button', { name: 'End First' }).click();
    await page.getByRole('button', { name: 'End 1 selected' }).waitFor();
    expect(selected()).not.toContain(first);
    await page.getByRole('button', { name: 'Undo' }).click();
    expect(await page.getByRole('checkbox', { name: 'Select First' }).isChecked()).toBe(false);
    await page.getByRole('button', { name: 'End 1 selected' }).click();
    expect(selected()).not.toContain(second);
    await page.reload(); // leaving the page carries out what could still be undone
    await eventually(async () => (await active()).join() === 'First');
    expect(await page.getByRole('checkbox', { name: 'Select First' }).isChecked()).toBe(false);
  });
});
