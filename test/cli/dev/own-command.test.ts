import { ownCommand } from '../../../src/cli/verbs/dev/ready-text';

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
