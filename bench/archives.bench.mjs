// How fast does a download link deliver its files as one archive, against the same file by itself from the object storage?
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { compare } from './support/load.mjs';
import { uploadFile } from './support/media.mjs';
import { startService } from './support/processes.mjs';
import { inContext } from './support/provision.mjs';

const MEBIBYTE = 1_048_576;
/** Some seconds of a download. */
const LARGE_BYTES = 512 * MEBIBYTE;
const FILES = 200;

export async function run() {
  const service = await startService();
  try {
    const links = await inContext(service, async (context, tools) => await fill(context, { ...tools, service }));
    const measured = {
      file: async () => await bytesPerSecond(`${service.url}/l/${links.large.link}/${links.large.mediaId}`),
      archive: async () => await bytesPerSecond(`${service.url}/l/${links.large.link}/archive`),
      part: async () => await bytesPerSecond(`${service.url}/l/${links.large.link}/archive`, { range: `bytes=${LARGE_BYTES / 2}-` }),
      small: async () => await bytesPerSecond(`${service.url}/l/${links.small.link}/archive`),
    };
    const rates = await compare(measured);
    const row = (name, rate) => ({ name, note: `${Math.round(rate / 1e6)} MB/s`, ratio: rate / rates.file });
    return [
      row('a file of 512 MiB by itself, from the local object storage', rates.file),
      row('the same file as an archive', rates.archive),
      row('the second half of that archive', rates.part),
      row(`an archive with ${FILES} files of 1 MiB`, rates.small),
    ];
  } finally {
    await service.stop();
  }
}

async function bytesPerSecond(url, headers = {}) {
  const begun = performance.now();
  const response = await fetch(url, { headers });
  if (!response.ok) throw new Error(`${url} answered ${response.status}`);
  let bytes = 0;
  for await (const chunk of response.body) bytes += chunk.length;
  return (bytes / (performance.now() - begun)) * 1_000;
}

/** A link with one large file and one with many small ones. */
async function fill(context, { load, service }) {
  const { Database } = await load('shared/database/index.js');
  const { AccessTokenIssuerService } = await load('modules/access/index.js');
  const { pool } = context.get(Database);
  const { id: userId } = (await pool.query('SELECT id FROM users ORDER BY id LIMIT 1')).rows[0];
  const { accessToken: token } = await context
    .get(AccessTokenIssuerService)
    .issue({ userId, clientId: 'demo', scope: 'api', authorization: null });
  const format = (await pool.query(`SELECT id FROM formats WHERE blueprint_key = 'original-document'`)).rows[0].id;
  const linkTo = async (containers) => {
    const { rows } = await pool.query(
      `INSERT INTO download_links (link, customer_id, media_container_ids, format_ids, creator_id)
        SELECT gen_random_uuid(), customer_id, $1::int[], ARRAY[$2::int], creator_id FROM media_containers WHERE id = ($1::int[])[1]
        RETURNING link, (SELECT id FROM media_items WHERE media_container_id = ($1::int[])[1] LIMIT 1) AS "mediaId"`,
      [containers, format],
    );
    return rows[0];
  };
  const file = path.join(path.dirname(service.dataDir), 'large.bin');
  writeFileSync(file, Buffer.alloc(LARGE_BYTES, 'some bytes'));
  const { mediaContainerId } = await uploadFile({ url: service.url, token }, { file, type: 'document' });
  const small = [];
  for (let number = 1; number <= FILES; number += 1) {
    writeFileSync(file, Buffer.alloc(MEBIBYTE, `file ${number}`));
    small.push((await uploadFile({ url: service.url, token }, { file, type: 'document' })).mediaContainerId);
  }
  const links = { large: await linkTo([mediaContainerId]), small: await linkTo(small) };
  for (const { link } of Object.values(links)) await untilRanges(`${service.url}/l/${link}/archive`);
  return links;
}

/** Waits until the checksums have been computed. */
async function untilRanges(url) {
  for (;;) {
    const { headers } = await fetch(url, { method: 'HEAD' });
    if (headers.get('accept-ranges') === 'bytes') return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
