import { expect, it } from '@jest/globals';
import { frameAncestors } from './frame-ancestors.js';

it('names each origin of the redirect URIs once, and no custom scheme', () => {
  const uris = ['https://app.example/a', 'https://app.example/b?c=d', 'http://localhost:8080/', 'com.example.app:/callback'];
  expect(frameAncestors(uris)).toEqual(['https://app.example', 'http://localhost:8080']);
  expect(frameAncestors(['com.example.app:/callback'])).toEqual([]);
});
