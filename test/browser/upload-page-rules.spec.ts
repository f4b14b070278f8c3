import { utimesSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { takePicture } from '../support/browser/chromium.js';
import { stageUploadPages } from '../support/browser/upload-page-stage.js';
import { aDropsite } from '../support/delivery/dropsites.js';
import { call } from '../support/media/uploads.js';

const stage = stageUploadPages();

describe('a dropsite with rules', () => {
  it('asks for its password, and says when it is wrong', async () => {
    const { dropsite } = await aDropsite(stage.app, { password: 'open sesame' });
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('secret.txt', 10));
    await stage.press(/^Upload/);
    await stage.page.getByRole('alert').getByText('Password required').waitFor();
    await stage.page.getByLabel('Password').fill('abracadabra');
    await stage.press(/^Upload/);
    await stage.page.getByRole('alert').getByText('Wrong password').waitFor();
    expect(await stage.page.getByLabel('Password').evaluate((field) => field === field.ownerDocument.activeElement)).toBe(true);
    await takePicture(stage.page, 'upload wrong password');
    await stage.page.getByLabel('Password').fill('open sesame');
    await stage.press(/^Upload/);
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['secret.txt', 10]]);
  });

  it('requires the sender if it does not accept anonymous ones', async () => {
    const { dropsite } = await aDropsite(stage.app, { allowAnonymous: false, password: 'open sesame' });
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('known.txt', 10));
    await stage.page.getByLabel('Password').fill('open sesame');
    await stage.press(/^Upload/);
    await stage.page.getByRole('alert').getByText('E-mail address required').waitFor();
    await stage.page.getByLabel('E-mail').fill('not an address');
    await stage.press(/^Upload/);
    await stage.page.getByRole('alert').getByText('Check your e-mail address').waitFor();
    await stage.page.getByLabel('E-mail').fill('ada@example.org');
    await stage.press(/^Upload/);
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['known.txt', 10]]);
  });

  it('shows the accepted types, and leaves out others before the upload', async () => {
    const { dropsite } = await aDropsite(stage.app, { allowedTypes: ['image', 'video'] });
    await stage.visit(dropsite.link);
    await stage.page.getByText('Videos and images only.').or(stage.page.getByText('Images and videos only.')).waitFor();
    await stage.choose(stage.aFileOf('types/a.jpg', 10), stage.aFileOf('types/b.pdf', 10));
    await stage.page.getByText(/Will not be sent\. This dropsite accepts only (images and videos|videos and images)\./).waitFor();
    await stage.press('Upload 1 file, 10 bytes');
    await stage.delivered();
    expect(await stage.arrived(dropsite)).toEqual([['a.jpg', 10]]);
  });

  it('reports an exceeded limit before the upload if possible, otherwise when the service refuses', async () => {
    const { dropsite } = await aDropsite(stage.app, { maxItemsPerDay: 2 });
    const [one, two, three] = [stage.aFileOf('limit/1.txt', 1), stage.aFileOf('limit/2.txt', 2), stage.aFileOf('limit/3.txt', 3)];
    await stage.visit(dropsite.link);
    await stage.choose(one, two, three);
    await stage.press(/^Upload/);
    await stage.page.getByRole('alert').getByText('It accepts at most 2 files per day, and you chose 3.').waitFor();
    await stage.press('Remove 3.txt');
    await stage.press('Upload 2 files, 3 bytes');
    await stage.delivered();
    await stage.press('Send more files');
    await stage.choose(three);
    await stage.press(/^Upload/);
    await stage.page.getByRole('alert').getByText('This dropsite is full for today').waitFor();
    await takePicture(stage.page, 'upload limit');
    expect((await stage.arrived(dropsite)).length).toBe(2);
  });

  it('lets the person decide about files that are sent twice', async () => {
    const { dropsite } = await aDropsite(stage.app);
    const [one, two] = [stage.aFileOf('twice/1.txt', 10), stage.aFileOf('twice/2.txt', 10)];
    const [fresh, alike] = [stage.aFileOf('twice/3.txt', 10), stage.aFileOf('twice/other/3.txt', 10)];
    utimesSync(alike, 1, 1);
    await stage.visit(dropsite.link);
    await stage.choose(one, two);
    await stage.press(/^Upload/);
    await stage.delivered();
    await stage.press('Send more files');
    await stage.choose(one, two, fresh);
    await stage.choose(alike);
    await stage.press('Upload 4 files, 40 bytes');
    await stage.heading('3 files seem to be duplicates').waitFor();
    await takePicture(stage.page, 'upload duplicates');
    await stage.page.getByRole('checkbox', { name: '2.txt' }).check();
    await stage.press('Upload 1 of 3 anyway');
    await stage.heading('2 files delivered').waitFor();
    expect(await stage.page.getByText('1.txt – left out').isVisible()).toBe(true);
    await stage.press('Send more files');
    await stage.choose(one);
    await stage.press(/^Upload/);
    await stage.press('Leave it out');
    await stage.page.getByRole('alert').getByText('Nothing was sent').waitFor();
    expect((await stage.arrived(dropsite)).map(([name]) => name)).toEqual(['1.txt', '2.txt', '2.txt', '3.txt']);
  });

  it('shows a page if it has expired or does not exist', async () => {
    const { dropsite } = await aDropsite(stage.app, { expiresAt: new Date(Date.now() - 1_000).toISOString() });
    expect((await stage.visit(dropsite.link))?.status()).toBe(410);
    await stage.page.getByText('This dropsite has expired').waitFor();
    await stage.page.getByText('Ask the person who sent you the link for another one.').waitFor();
    await takePicture(stage.page, 'upload expired');
    expect((await stage.visit('b1c5a2f0-6a0e-4b57-9c1e-2f1f6f1f0c11'))?.status()).toBe(404);
    await stage.page.getByText('The link does not lead to a dropsite.').waitFor();
  });

  it('that expires while files are chosen shows an explanation', async () => {
    const { dropsite, token } = await aDropsite(stage.app);
    await stage.visit(dropsite.link);
    await stage.choose(stage.aFileOf('late.txt', 10));
    const body = { expiresAt: new Date(Date.now() - 1_000).toISOString() };
    await call(`${stage.app.url}/v5/dropsite/${dropsite.id}`, { method: 'PUT', token, body });
    await stage.press(/^Upload/);
    await stage.page.getByRole('alert').getByText('This dropsite accepts no more uploads').waitFor();
  });
});
