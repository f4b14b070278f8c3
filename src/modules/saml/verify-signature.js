// Runs in a separate thread (signature-thread.service.ts). Plain JavaScript, because tests start the thread from src.
import { parentPort } from 'node:worker_threads';
import { SAML } from '@node-saml/passport-saml';

parentPort.on('message', async ({ options, requestId, requestedAt, xml }) => {
  const requests = {
    getAsync: async (id) => (id === requestId ? requestedAt : null),
    saveAsync: async () => null,
    removeAsync: async () => null,
  };
  try {
    const saml = new SAML({ ...options, cacheProvider: requests });
    const { profile } = await saml.validatePostResponseAsync({ SAMLResponse: Buffer.from(xml).toString('base64') });
    parentPort.postMessage({ signedXml: profile?.getAssertionXml?.() ?? null, problem: null });
  } catch (error) {
    parentPort.postMessage({ signedXml: null, problem: String(error?.message ?? error) });
  }
});
