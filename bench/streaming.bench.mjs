// How many segments of one film per second does the service decide and redirect, against a bare Express route that answers a constant?
import { compare, measure } from './support/load.mjs';
import { freePort, root, startProgram, startService } from './support/processes.mjs';
import { ADMITTING_RULES, inContext } from './support/provision.mjs';

/** Three hours in segments of four seconds. */
const SEGMENTS = 2_700;
const VIEWERS = 1_000;

export async function run() {
  const port = await freePort();
  const express = await startProgram(`${root}/bench/support/bare-express.mjs`, { env: { PORT: String(port) }, ready: /ready/ });
  const service = await startService();
  try {
    const films = await inContext(service, fill);
    const headers = { referer: 'https://www.example.com/', range: 'bytes=1000-2000999' };
    const open = `${service.url}/v5/deliverEmbed/${films.open.link}/media/${films.open.mediaId}`;
    const { admission, ...ruled } = await admitted(service.url, films.ruled);
    const segments = async (connections) => await measure(`${open}.mp4`, { headers, connections, expectRedirects: true });
    const rates = await compare({
      express: () => measure(`http://127.0.0.1:${port}/constant`),
      segment: () => segments(32),
      ruled: () => measure(`${ruled.segment}?${admission}`, { headers: { range: headers.range }, expectRedirects: true }),
      crowd: () => segments(VIEWERS),
      playlist: () => measure(`${open}.m3u8`),
    });
    const row = (name, rate, target) => ({ name, rate, ratio: rate / rates.express, ...(target && { target }) });
    return [
      row('bare Express, constant answer', rates.express),
      row('segment of a film: decision and redirect', rates.segment, 0.25),
      row('segment, by an allow-list and an admission', rates.ruled, 0.25),
      row(`segment, ${VIEWERS.toLocaleString('en')} viewers at the same time`, rates.crowd, 0.25),
      row(`media playlist of ${SEGMENTS.toLocaleString('en')} segments`, rates.playlist),
    ];
  } finally {
    await service.stop();
    await express.stop();
  }
}

/** The URL of a segment, and the admission of a viewer whose page may show the film. */
async function admitted(url, { link, mediaId }) {
  const master = await fetch(`${url}/v5/deliverEmbed/${link}/master.m3u8`, { headers: { referer: 'https://www.example.com/' } });
  const [, admission] = /(admission=[^/\s]+)/.exec(await master.text()) ?? [];
  return { admission, segment: `${url}/v5/deliverEmbed/${link}/media/${mediaId}.mp4` };
}

/** Two films with one streaming rendition each, one of them behind rules that admit this machine and a page. */
async function fill(context, { load }) {
  const { Database } = await load('shared/database/index.js');
  const { pool } = context.get(Database);
  const facts = { codecs: 'avc1.640028,mp4a.40.2', bandwidth: 6e6, averageBandwidth: 5e6, frameRate: 25, segments: SEGMENTS };
  const films = {};
  for (const [name, securitySettings] of [
    ['open', null],
    ['ruled', ADMITTING_RULES],
  ]) {
    const { rows } = await pool.query(
      `WITH format AS (
        SELECT id FROM formats WHERE blueprint_key = 'streaming-1080p'
      ), configuration AS (
        INSERT INTO player_configurations (customer_id, name, type, template_id, security_settings, creator_id, last_editor_id)
          VALUES (1, 'Bench', 'video', 1, $1, 1, 1) RETURNING id
      ), formats AS (
        INSERT INTO player_configuration_formats (player_configuration_id, format_id, position) SELECT configuration.id, format.id, 0 FROM configuration, format
      ), container AS (
        INSERT INTO media_containers (customer_id, creator_id, type, name) VALUES (1, 1, 'video', 'Film') RETURNING id
      ), item AS (
        INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key, version,
            width, height, duration, streaming)
          SELECT container.id, 1, format.id, 'video', 'film', 'mp4', 6750001000, 'successful', 'media', 'bench/' || container.id, 'v1',
            1920, 1080, 10800, $2::jsonb FROM container, format RETURNING id, media_container_id
      ), index AS (
        INSERT INTO streaming_indexes (media_item_id, header_bytes, segment_bytes, segment_ms)
          SELECT id, 1000, array_fill(2500000, ARRAY[$3::int]), array_fill(4000, ARRAY[$3::int]) FROM item
      )
      INSERT INTO embed_links (link, customer_id, media_container_id, player_configuration_id, type, creator_id)
        SELECT gen_random_uuid(), 1, item.media_container_id, configuration.id, 'video', 1 FROM item, configuration
        RETURNING link, (SELECT id FROM item) AS "mediaId"`,
      [securitySettings, facts, SEGMENTS],
    );
    films[name] = rows[0];
  }
  return films;
}
