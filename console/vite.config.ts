import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

export default defineConfig({
  base: '/console/',
  plugins: [react()],
  html: { cspNonce: '__CSP_NONCE__' }, // ConsoleController writes the nonce of the response in its place
  build: {
    target: 'es2022',
    cssTarget: ['chrome123', 'edge123', 'firefox120', 'safari17.5'], // those with light-dark(); its replacement for older ones needs a fixed scheme
    assetsInlineLimit: 0, // the policy of the page permits no data: URLs
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1_200, // in kB before compression; test/browser/console-hard.spec.ts expects less than 400 after it
    rolldownOptions: {
      // What several pages share is in few files: dozens of small ones would each take a round trip. What the session needs is apart, so that it
      // starts while the others are loaded.
      output: {
        codeSplitting: {
          groups: [
            {
              name: 'session',
              test: /\/sdk\/|oauth4webapi|openapi-fetch|aws4fetch|node_modules\/react\/|src\/session|elements\/drafts|preload-helper/,
            },
            { name: 'libraries', test: /node_modules/, minShareCount: 2 },
            { name: 'shared', minShareCount: 2 },
          ],
        },
      },
    },
  },
});
