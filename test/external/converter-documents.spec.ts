import { once } from 'node:events';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { buildInvocation } from '../../src/modules/formats/index.js';
import { makeTestFolder, removeTestFolder } from '../support/app/test-cluster.js';
import { useExecutionStage } from '../support/converter/execution-stage.js';
import { A_DOCUMENT, aRequest } from '../support/converter/format-requests.js';
import { run } from '../support/converter/run-invocation.js';
import { NoIsolation, offerScripts, type ScriptTools } from '../support/converter/tool-scripts.js';
import { odp, pdf, put } from '../support/media/hostile-files.js';
import { writeOfficeFile } from '../support/media/office-files.js';

const TEXT = 'Minutes of the harbour board';

const stage = useExecutionStage();

it('a page that the document lacks is refused with its last page', async () => {
  const content = pdf(['<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] >>']);
  const placed = await stage.place({ file: put(stage.folder, 'letter.pdf', content), type: 'document', fileExtension: 'pdf' });
  const { outcome } = await stage.run(placed, await stage.blueprint('document-page', { parameters: { page: 2 } }));
  const message = 'The format shows page 2, but the last page of the document is 1.';
  expect(outcome).toMatchObject({ kind: 'failed', code: 'transcoding_refused', message });
});

describe('documents of an office', () => {
  let folder: string;
  let tools: ScriptTools;
  beforeAll(() => {
    folder = makeTestFolder();
    tools = offerScripts(folder, {});
  });
  afterAll(async () => await removeTestFolder(folder));

  /** Makes a format of a document; answers the file. */
  async function make(blueprint: string, document: string, { runner } = tools): Promise<string> {
    const base = tools.request('');
    const source = { ...A_DOCUMENT, fileExtension: path.extname(document).slice(1) };
    const invocation = buildInvocation({ ...aRequest(blueprint, { source }), folder: base.folder });
    if (invocation.kind !== 'run') throw new Error(JSON.stringify(invocation));
    copyFileSync(document, path.join(base.folder, invocation.inputs.source));
    for (const { name, content } of invocation.files) {
      mkdirSync(path.dirname(path.join(base.folder, name)), { recursive: true });
      writeFileSync(path.join(base.folder, name), content);
    }
    for (const step of invocation.steps) await runner.run({ ...base, step });
    return path.join(base.folder, invocation.output);
  }

  it.each(['docx', 'doc', 'xlsx', 'xls', 'pptx', 'ppt'])('become PDF and a picture of the first page: %s', async (type) => {
    const document = await writeOfficeFile(folder, type, TEXT);
    const pdf = await make('document-pdf', document);
    expect(await run(folder, 'pdfinfo', [pdf])).toMatch(/^Pages: +1$/m);
    expect(await run(folder, 'pdftotext', [pdf, '-'])).toContain(TEXT);
    const page = readFileSync(await make('document-page', document));
    expect(page.subarray(0, 3).toString('hex')).toBe('ffd8ff');
  });

  it('make no network requests, even on a machine without sandboxes', async () => {
    let calls = 0;
    const canary = createServer((socket) => {
      calls += 1;
      socket.destroy();
    }).listen(0, '127.0.0.1');
    await once(canary, 'listening');
    const { port } = canary.address() as AddressInfo;
    const names = ['http', 'https', 'ftp', 'vnd.sun.star.webdav'].flatMap((scheme) =>
      ['127.0.0.1', 'localhost'].map((host) => `${scheme}://${host}:${port}/${scheme}.png`),
    );
    await make('document-pdf', put(folder, 'calling.odp', odp(names)), offerScripts(folder, {}, new NoIsolation()));
    canary.close();
    expect(calls).toBe(0);
  });
});
