import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readBlocks } from './support/documents/document.js';

const root = path.resolve(import.meta.dirname, '..');
const withoutCode = (text: string) => text.replace(/^ *```[\s\S]*?^ *```$/gm, '').replace(/``[^`]+``/g, '');

/** The anchors of the headings of a page, as GitHub makes them; repeated headings are numbered. */
function anchorsOf(text: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of withoutCode(text).matchAll(/^#+ (.*)$/gm)) {
    const slug = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-');
    const number = [...anchors].filter((anchor) => anchor === slug || anchor.replace(/-\d+$/, '') === slug).length;
    anchors.add(number === 0 ? slug : `${slug}-${number}`);
  }
  return anchors;
}

/** The links of a page within the repository that lead nowhere. */
function brokenLinks(page: string, text: string): string[] {
  const targets = [...withoutCode(text).matchAll(/\]\((?!\w+:)([^)\s]+)\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => {
    const [file = '', anchor] = target.split('#');
    const linked = file === '' ? page : path.join(path.dirname(page), file);
    if (file !== '' && !existsSync(path.join(root, linked))) return true;
    return anchor !== undefined && !anchorsOf(file === '' ? text : readFileSync(path.join(root, linked), 'utf8')).has(anchor);
  });
}

describe('the documents', () => {
  const pages = ['.', 'docs', 'sdk', 'local-storage'].flatMap((folder) =>
    readdirSync(path.join(root, folder)).flatMap((name) => (name.endsWith('.md') ? [path.join(folder, name)] : [])),
  );

  it('link only to files and headings that exist', () => {
    const broken = pages.flatMap((page) =>
      brokenLinks(page, readFileSync(path.join(root, page), 'utf8')).map((target) => `${page}: ${target}`),
    );
    expect(pages.length).toBeGreaterThan(25);
    expect(broken).toEqual([]);
  });

  it('have commands that honour SERVICE', () => {
    const commands = pages.flatMap((page) => readBlocks(page, (text) => text.replaceAll(/\$\{SERVICE:-[^}]+\}/g, '')));
    expect(commands.filter((block) => block.commands.includes('localhost:3000')).map(({ place }) => place)).toEqual([]);
  });

  it('have anchors as GitHub makes them', () => {
    expect([...anchorsOf('# What to do when…\n## Change `APP_SECRET`\n## Twice\n## Twice\n```\n# no heading\n```\n')]).toEqual([
      'what-to-do-when',
      'change-app_secret',
      'twice',
      'twice-1',
    ]);
    expect(brokenLinks('docs/page.md', '# A\n[a](#a) [b](#b) [c](nothing.md) [d](../README.md) [e](https://example.org)')).toEqual([
      '#b',
      'nothing.md',
    ]);
  });
});
