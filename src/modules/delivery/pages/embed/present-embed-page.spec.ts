import { expect, it } from '@jest/globals';
import { providerOf } from './present-embed-page.js';

const customer = { name: 'Old name', url: 'old.example.org' };

it.each([
  [null, { name: 'Account', url: null }],
  [{ customer }, { name: 'Old name', url: 'https://old.example.org/' }],
  [
    { customer, providerName: 'New name' },
    { name: 'New name', url: 'https://old.example.org/' },
  ],
  [
    { customer, providerUrl: 'http://www.example.org/media' },
    { name: 'Old name', url: 'http://www.example.org/media' },
  ],
  [{ providerUrl: 'javascript:alert(1)' }, { name: 'Account', url: null }],
  [{ providerUrl: 'not a host' }, { name: 'Account', url: null }],
])('%j is %j', (settings, provider) => {
  expect(providerOf(settings, 'Account')).toEqual(provider);
});
