import { describe, expect, it } from '@jest/globals';
import { RecentlyOpened } from './subscription-secrets.service.js';

function opener() {
  const opened: string[] = [];
  const recent = new RecentlyOpened((sealed) => {
    opened.push(sealed);
    return { sealed };
  });
  return { opened, recent };
}

describe('recently decrypted instructions', () => {
  it('is not opened again', () => {
    const { opened, recent } = opener();
    expect([recent.get('a'), recent.get('b'), recent.get('a')]).toEqual([{ sealed: 'a' }, { sealed: 'b' }, { sealed: 'a' }]);
    expect(opened).toEqual(['a', 'b']);
  });

  it('is forgotten after five hundred others', () => {
    const { opened, recent } = opener();
    recent.get('a');
    for (let other = 0; other < 499; other += 1) recent.get(`other ${other}`);
    recent.get('a');
    expect(opened).toHaveLength(500);
    recent.get('one more');
    recent.get('a');
    expect(opened).toHaveLength(502);
  });

  it('is not remembered when it is long', () => {
    const { opened, recent } = opener();
    const long = 'x'.repeat(8_193);
    recent.get(long);
    recent.get(long);
    expect(opened).toHaveLength(2);
  });
});
