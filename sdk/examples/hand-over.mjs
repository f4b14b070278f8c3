// Hands media containers over: prints the address of a page from which anybody can download them. node hand-over.mjs ID…
import { createClient } from '@media-delivery/sdk';

const { SERVICE: baseUrl, TOKEN: accessToken } = process.env;
const client = createClient({ baseUrl, accessToken });
const { data: formats } = await client.GET('/v5/format');

const body = {
  title: 'A sunrise for you',
  mediaContainerIds: process.argv.slice(2).map(Number),
  formatIds: formats.filter(({ name }) => /^Original (image|video)$/.test(name)).map(({ id }) => id),
};
const { data: download } = await client.POST('/v5/downloadlink', { body });
console.log(`${baseUrl}/l/${download.link}`);
