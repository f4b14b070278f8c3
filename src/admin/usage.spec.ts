import { describe, expect, it } from '@jest/globals';
import { commands } from './commands.js';
import { usage } from './usage.js';

describe('the usage of the command line', () => {
  it('fits a window', () => {
    const lines = usage.split('\n');
    expect(lines.length).toBeLessThanOrEqual(40);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  it('shows how to call every command, as the command is called', () => {
    for (const [name, { argument, options, synopsis }] of Object.entries(commands)) {
      expect(usage).toContain(`  ${synopsis}\n`);
      expect(`${synopsis} `).toContain(`${name} ${argument ?? ''}`);
      for (const option of options) if (option !== 'reason') expect(synopsis).toContain(`--${option}`);
    }
  });
});
