// Uploads files, and prints the ids of their media containers: node upload.mjs FILE…
import { createClient, openFile } from '@media-delivery/sdk';

const { SERVICE: baseUrl, TOKEN: accessToken } = process.env;
const client = createClient({ baseUrl, accessToken });

const { items } = await client.upload(process.argv.slice(2).map(openFile));
console.log(items.map(({ mediaContainerId }) => mediaContainerId).join(' '));
