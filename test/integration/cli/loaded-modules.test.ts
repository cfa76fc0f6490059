/** Which modules a command loads: loading takes most of the time of a command that prints a text. */
import { execFileSync } from 'node:child_process';
import { join, relative } from 'node:path';
import { ROOT } from '../../../dev/services/paths';

/** Paths from the repository's root. */
function modulesOf(args: readonly string[]): string[] {
  const main = join(ROOT, 'dist', 'main.js');
  const script = `
    process.argv = ['node', ${JSON.stringify(main)}, ...${JSON.stringify(args)}];
    process.on('exit', () => process.stderr.write(JSON.stringify(Object.keys(require.cache))));
    require(${JSON.stringify(main)});
  `;
  const loaded = execFileSync('/bin/sh', ['-c', '"$0" -e "$1" 2>&1 >/dev/null', process.execPath, script]);
  return (JSON.parse(String(loaded)) as string[]).map((path) => relative(ROOT, path));
}

test.each([[['--help']], [['--version']]])('%j loads no command, and none of the SDK', (args) => {
  const modules = modulesOf(args);
  expect(modules).toContain('dist/cli/commands.js');
  expect(modules.filter((path) => /verbs|packages.sdk/.test(path))).toEqual([]);
});

test('a command loads no other command', () => {
  const verbs = modulesOf(['apply', '--help']).filter((path) => path.includes('verbs'));
  expect(verbs).toEqual(['packages/cli/dist/verbs/apply.js']);
});
