import { execFileSync } from 'node:child_process';
import { ownCommand, shellQuote } from '../../../src/cli/dev/shell';

test.each(['plain', '/a/b.txt', 'two words', `it's "quoted"`, '$HOME `id` \\', '{"a":"b"}', 'ä\n'])(
  'a shell passes %j unchanged',
  (text) => {
    expect(execFileSync('/bin/sh', ['-c', `printf %s ${shellQuote(text, 'linux')}`]).toString()).toBe(text);
  },
);

test('Windows: double quotes', () => {
  expect(shellQuote('{"a":1}', 'win32')).toBe('"{\\"a\\":1}"');
});

describe('the command that runs the same program', () => {
  const MAIN = '/w/node_modules/millrace/dist/main.js';
  const links: Record<string, string> = {
    '/w/node_modules/.bin/millrace': MAIN,
    '/usr/bin/millrace': '/usr/lib/node_modules/millrace/dist/main.js',
    '/repo/dist/main.js': '/repo/dist/main.js',
    [MAIN]: MAIN,
  };
  const realpath = (file: string): string => {
    const found = links[file];
    if (found === undefined) throw new Error('ENOENT');
    return found;
  };
  test.each([
    ['npx', '/w/node_modules/.bin/millrace', '/w', '/w/node_modules/.bin:/bin', 'npx millrace'],
    ['installed globally', '/usr/bin/millrace', '/home', '/bin:/usr/bin', 'millrace'],
    ['npx, and another version globally', '/w/node_modules/.bin/millrace', '/w', '/usr/bin', 'npx millrace'],
    ['in the repository', '/repo/dist/main.js', '/repo', '/bin', 'node dist/main.js'],
    ['from elsewhere', '/repo/dist/main.js', '/home', '/bin', 'node /repo/dist/main.js'],
  ])('%s', (_, script, cwd, path, command) => {
    expect(ownCommand({ script, cwd, path, realpath })).toBe(command);
  });
});
