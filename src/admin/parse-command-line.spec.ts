import { describe, expect, it } from '@jest/globals';
import { commands } from './commands.js';
import { helpFor, parseCommandLine, usage } from './parse-command-line.js';

describe('a command line', () => {
  it('names a command, its argument and its options in any order', () => {
    const line = parseCommandLine(['users', 'set-password', '--reason', 'lost', 'ada@example.org', '--generate']);
    expect(line).toEqual({
      command: commands['users set-password'],
      argument: 'ada@example.org',
      options: { reason: 'lost', generate: true },
    });
  });

  it('takes - for standard input', () => {
    expect(parseCommandLine(['apply', '-'])?.argument).toBe('-');
  });

  it.each([[['help']], [['--help']], [['-h']], [['users', '--help']], [['apply', 'file', '-h']]])('asks for help with %j', (argv) => {
    expect(parseCommandLine(argv)).toBeNull();
  });

  it.each([
    [[], 'Name a command.'],
    [['toString'], 'There is no command "toString".'],
    [['saml'], '"saml" is not complete: use saml check.'],
    [['check'], '"check" is not complete: use check storage or check cdn.'],
    [['keys', 'rotat'], 'There is no command "keys rotat": use keys rotate or keys reencrypt.'],
    [['apply'], '"apply" needs FILE.'],
    [['apply', ''], '"apply" needs FILE.'],
    [['apply', 'a', 'b'], '"apply" takes FILE only.'],
    [['audit', 'x'], '"audit" takes no argument.'],
    [['audit', '--reason', 'x'], "Unknown option '--reason'"],
    [['token', '--user'], "Option '--user <value>' argument missing"],
  ])('%j is refused with the usage', (argv, problem) => {
    expect(() => parseCommandLine(argv)).toThrow(`${problem}\n\n${usage}`);
  });

  it.each([
    [['users', 'set-password', 'ada@example.org', 'hunter2']],
    [['users', 'set-password', 'ada@example.org', '--password=hunter2']],
  ])('never repeats a password given by mistake: %j', (argv) => {
    expect(() => parseCommandLine(argv)).toThrow(expect.objectContaining({ message: expect.not.stringContaining('hunter2') }));
  });
});

describe('the usage of the command line', () => {
  it('describes the commands of a group, and says so', () => {
    expect(usage).toContain('help users');
    for (const [name, { synopsis, summary }] of Object.entries(commands)) {
      const [word = ''] = name.split(' ');
      expect(helpFor(['help', word])).toContain(`  ${synopsis}\n      ${summary}`);
    }
    expect(helpFor(['users', '--help'])).toBe(helpFor(['help', 'users']));
    expect([helpFor(['help']), helpFor(['-h']), helpFor(['help', 'nothing'])]).toEqual([usage, usage, usage]);
  });

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
