// Shows media containers in a player, and prints the addresses of their pages: node show.mjs ID…
import { createClient } from '@media-delivery/sdk';

const { SERVICE: baseUrl, TOKEN: accessToken } = process.env;
const client = createClient({ baseUrl, accessToken });
const { data: formats } = await client.GET('/v5/format');

for (const id of process.argv.slice(2).map(Number)) {
  const { data: container } = await client.GET('/v5/mediacontainer/{id}', { params: { path: { id } } });
  const { name, type } = container;
  const original = formats.find((format) => format.name === `Original ${type}`);
  // A player configuration says which formats are shown, to whom, and how: here the file as it was uploaded, to everybody.
  const body = { name: `The tour: ${name}`, type, templateId: 1, formats: [{ formatId: original.id, downloadable: true }] };
  const { data: configuration } = await client.POST('/v5/playerconfiguration', { body });
  const link = { params: { path: { id } }, body: { playerConfigurationId: configuration.id } };
  const { data: embed } = await client.POST('/v5/embedlink/{id}', link);
  console.log(`${name}: ${baseUrl}/v5/deliverEmbed/${embed.link}`);
}
