/** Every block of commands in the documentation is run by a test, or states why it is not. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../dev/services/paths';
import { blocksIn, isShell, isUnlabelledShell, type Block } from '../helpers/command-blocks';

const inFolder = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md') && !/(^|\/)(node_modules|dist|contracts|decisions)\//.test(name))
    .map((name) => join(folder, name));
const FILES = [
  'README.md',
  'CONTRIBUTING.md',
  ...['docs', 'connectors', 'apps', 'packages', 'deploy'].flatMap(inFolder),
];

const SCENARIOS = join('test', 'integration', 'documentation');

function problemOf(block: Block): string | undefined {
  const { marker } = block;
  if (isUnlabelledShell(block)) return 'commands are in a block of the language sh';
  if (block.output !== undefined && marker?.kind !== 'test') return 'an output belongs to a block that a test runs';
  if (marker === undefined) return isShell(block) ? 'no comment says which test runs it, or why none does' : undefined;
  if (marker.kind === 'not run') return isShell(block) ? undefined : 'only blocks of commands are run';
  const file =
    marker.kind === 'test' ? join(SCENARIOS, `${marker.scenario}.test.ts`) : (marker.file.split(' “')[0] ?? '');
  if (!existsSync(join(ROOT, file))) return `${file} does not exist`;
  if (marker.kind === 'test') return undefined;
  const title = /“(.+)”$/.exec(marker.file)?.[1];
  return title === undefined || readFileSync(join(ROOT, file), 'utf8').includes(title)
    ? undefined
    : `${file} has no test “${title}”`;
}

test.each(FILES)('%s', (file) => {
  const blocks = blocksIn(readFileSync(join(ROOT, file), 'utf8'));
  const problems = blocks.flatMap((block) => {
    const problem = problemOf(block);
    return problem === undefined ? [] : [`${file}:${block.line}: ${problem}: ${block.text.split('\n')[0]}`];
  });
  expect(problems).toEqual([]);
});

test('each scenario is of one file, and has a test', () => {
  const used = new Map<string, Set<string>>();
  for (const file of FILES)
    for (const { marker } of blocksIn(readFileSync(join(ROOT, file), 'utf8')))
      if (marker?.kind === 'test') used.set(marker.scenario, (used.get(marker.scenario) ?? new Set()).add(file));
  expect([...used].filter(([, files]) => files.size > 1)).toEqual([]);
  const tests = readdirSync(join(ROOT, SCENARIOS), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.test.ts'),
  );
  expect([...used.keys()].sort()).toEqual(tests.map((name) => name.replace('.test.ts', '')).sort());
});

describe('blocks', () => {
  test('with their comments, options, outputs and files', () => {
    const text = [
      'Text',
      '<!-- test: a; until ready; exit 130 -->',
      '```sh',
      'millrace dev',
      '```',
      '',
      'Prints:',
      '```text output',
      'ready…',
      '```',
      '<!-- test: a -->',
      '```json file=a.json',
      '{}',
      '```',
      '<!-- test: a; ctrl-c -->',
      'Text',
      '',
      '    indented',
      '',
      '    more',
      'Text',
      '<!-- not run: needs a cluster -->',
      '```bash',
      'kubectl get pods',
      '```',
    ].join('\n');
    const common = { kind: 'test', scenario: 'a', ctrlC: false, terminal: false, exit: 0, eventually: false };
    expect(blocksIn(text)).toEqual([
      {
        line: 4,
        language: 'sh',
        text: 'millrace dev',
        marker: { ...common, until: 'ready', exit: 130 },
        output: 'ready…',
      },
      { line: 13, language: 'json', file: 'a.json', text: '{}', marker: common },
      { line: 15, language: null, text: '', marker: { ...common, ctrlC: true } },
      { line: 18, language: '', text: 'indented\n\nmore' },
      { line: 24, language: 'bash', text: 'kubectl get pods', marker: { kind: 'not run', reason: 'needs a cluster' } },
    ]);
  });

  test('an unknown option is refused', () => {
    expect(() => blocksIn('<!-- test: a; untill ready -->')).toThrow('Unknown option "untill ready"');
  });

  test.each([
    ['```sh\ncurl a\n```', 'no comment says which test runs it, or why none does'],
    ['    curl a', 'commands are in a block of the language sh'],
    ['```\nBOOTSTRAP_SERVERS=a npm start\n```', 'commands are in a block of the language sh'],
    ['<!-- test: nothing -->\n```sh\ncurl a\n```', 'test/integration/documentation/nothing.test.ts does not exist'],
    ['<!-- tested by: test/none.test.ts -->\n```sh\ncurl a\n```', 'test/none.test.ts does not exist'],
    [
      '<!-- tested by: test/dev/readme.test.ts “another title” -->\n```sh\ncurl a\n```',
      'test/dev/readme.test.ts has no test “another title”',
    ],
    ['```sh\ncurl a\n```\n\n```text output\na\n```', 'an output belongs to a block that a test runs'],
    ['<!-- not run: needs Kubernetes -->\n```sh\nkubectl a\n```', undefined],
    ['<!-- tested by: test/dev/command-blocks.test.ts “with their comments” -->\n```sh\ncurl a\n```', undefined],
    ['```json\n{}\n```', undefined],
  ])('the problem of %j', (text, problem) => {
    const found = blocksIn(text).map(problemOf)[0];
    if (problem === undefined) expect(found).toBeUndefined();
    else expect(found).toContain(problem);
  });
});
