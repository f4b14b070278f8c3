// Embed links of a running service, created in its database, because they need no files.
import { ADMITTING_RULES } from './provision.mjs';

/** The number of links that are requested in turn. */
const LINKS = 100;

/** Creates containers with one file, half of them behind rules that admit this machine. Returns their links. */
export async function fillLinks(context, { load }) {
  const { Database } = await load('shared/database/index.js');
  const { pool } = context.get(Database);
  const format = (await pool.query(`SELECT id FROM formats WHERE blueprint_key = 'original-video'`)).rows[0].id;
  const links = {};
  for (const [name, securitySettings] of [
    ['open', null],
    ['ruled', ADMITTING_RULES],
  ]) {
    const { rows } = await pool.query(
      `WITH configuration AS (
        INSERT INTO player_configurations (customer_id, name, type, template_id, security_settings, creator_id, last_editor_id)
          VALUES (1, 'Bench', 'video', 1, $1, 1, 1) RETURNING id
      ), formats AS (
        INSERT INTO player_configuration_formats (player_configuration_id, format_id, position) SELECT id, $2, 0 FROM configuration
      ), containers AS (
        INSERT INTO media_containers (customer_id, creator_id, type, name) SELECT 1, 1, 'video', 'Film ' || n FROM generate_series(1, $3::int) AS n RETURNING id
      ), items AS (
        INSERT INTO media_items (media_container_id, customer_id, format_id, type, file_name, file_extension, file_size, status, bucket, s3_key)
          SELECT id, 1, $2, 'video', 'film', 'mp4', 1000, 'successful', 'media', 'bench/' || id FROM containers
      )
      INSERT INTO embed_links (link, customer_id, media_container_id, player_configuration_id, type, creator_id)
        SELECT gen_random_uuid(), 1, containers.id, configuration.id, 'video', 1 FROM containers, configuration RETURNING link`,
      [securitySettings, format, LINKS],
    );
    links[name] = rows.map(({ link }) => link);
  }
  const { rows } = await pool.query('SELECT id FROM media_containers');
  return { ...links, containers: rows.map(({ id }) => id) };
}

/** Requests for autocannon that each publish an event, for different containers in turn, because each request locks its container. */
export function releaseRequests(containers, headers) {
  let sent = 0;
  const next = (request) => ({ ...request, path: `/v5/mediacontainer/${containers[sent++ % containers.length]}/releaseRequest` });
  return { method: 'POST', path: '/', headers, body: '{"message":"please"}', setupRequest: next };
}
