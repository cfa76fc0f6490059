/** Every command line of `millrace` in the documentation can be parsed. None is run. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { COMMANDS } from '../../../src/cli/commands';
import { parseCommandLine } from '../../../packages/cli/src/program/parse-command-line';
import { optionsOf } from '../../../packages/cli/src/program/shared-options';
import { type CommandSpec, loadCommand } from '../../../packages/cli/src/program/command-spec';
import { FakeIo } from '../fake-io';
import { argumentsIn, documentedCommands, type CommandLine } from './documented-commands';
import { shellCommands } from './shell-commands';

const ROOT = join(__dirname, '..', '..', '..');
const inFolder = (folder: string, isWanted: (name: string) => boolean): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules') && isWanted(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1));
const FILES = [
  'README.md',
  'CONTRIBUTING.md',
  ...inFolder('docs', (name) => name.endsWith('.md')),
  ...['connectors', 'packages', 'apps', 'deploy'].flatMap((folder) => inFolder(folder, (name) => name === 'README.md')),
  ...inFolder('examples', () => true),
].sort();

/** What is wrong with a command line, if anything. */
function problemOf({ args, isInline }: Pick<CommandLine, 'args' | 'isInline'>): string | undefined {
  const { spec, rest } = specOf(args);
  // In running text, `millrace dev` and `millrace preview --offsets` only mention a command and its options.
  if (isInline && spec && rest.every((word) => word.startsWith('-'))) {
    const known = new Set(optionsOf(spec).flatMap(({ flags }) => flags.match(/(?<![\w-])--?[a-zA-Z][\w-]*/g) ?? []));
    const unknown = rest.find((word) => !known.has(word.split('=')[0] as string) && word !== '--help');
    return unknown === undefined ? undefined : `unknown option '${unknown}'`;
  }
  // `millrace <command> --help` stands for all commands.
  if (args[0] === '<command>') return undefined;
  const io = new FakeIo('/');
  const parsed = parseCommandLine(args, io, COMMANDS);
  return typeof parsed === 'number' && parsed !== 0 ? io.err.split('\n')[0] || 'not a command' : undefined;
}

/** The command that the first words name, and the words after its name. */
function specOf(args: readonly string[]): { readonly spec?: CommandSpec; readonly rest: readonly string[] } {
  let spec = loadCommand(COMMANDS, args[0]);
  let used = spec ? 1 : 0;
  for (;;) {
    const subcommand = spec?.subcommands?.find(({ name }) => name === args[used]);
    if (!subcommand) return { ...(spec && { spec }), rest: args.slice(used) };
    spec = subcommand;
    used++;
  }
}

const problemsIn = (file: string, lines: readonly CommandLine[]): string[] =>
  lines.flatMap((one) => {
    const problem = problemOf(one);
    const place = one.line === undefined ? file : `${file}:${one.line}`;
    return problem === undefined ? [] : [`${place}: millrace ${one.args.join(' ')}: ${problem}`];
  });

test.each(FILES)('%s', (file) => {
  const lines = documentedCommands(readFileSync(join(ROOT, file), 'utf8'), file.endsWith('.md'));
  expect(problemsIn(file, lines)).toEqual([]);
});

test('the documentation has command lines in code blocks and in running text', () => {
  const all = FILES.flatMap((file) => documentedCommands(readFileSync(join(ROOT, file), 'utf8'), file.endsWith('.md')));
  expect(all.filter(({ isInline }) => !isInline).length).toBeGreaterThan(40);
  expect(all.filter(({ isInline }) => isInline).length).toBeGreaterThan(40);
});

/** Every command and subcommand with its words. */
const withPaths = (specs: readonly CommandSpec[], before = ''): [string, CommandSpec][] =>
  specs.flatMap((spec) => {
    const path = `${before}${spec.name}`;
    return [[path, spec] as [string, CommandSpec], ...withPaths(spec.subcommands ?? [], `${path} `)];
  });

test.each(withPaths(Object.keys(COMMANDS.list).flatMap((name) => loadCommand(COMMANDS, name) ?? [])))(
  '%s --help',
  (path, spec) => {
    const examples = spec.examples.flatMap(({ command }) => argumentsIn(`millrace ${command}`));
    const texts = [spec.description ?? '', ...optionsOf(spec).map(({ description }) => description)].join('\n');
    const mentions = [...texts.matchAll(/"(millrace [^"]+)"/g)].flatMap(([, text = '']) => argumentsIn(text));
    expect(examples.length).toBeGreaterThanOrEqual(spec.examples.length);
    const lines = [
      ...examples.map((args) => ({ args, isInline: false })),
      ...mentions.map((args) => ({ args, isInline: true })),
    ];
    expect(problemsIn(`millrace ${path} --help`, lines)).toEqual([]);
  },
);

describe('a wrong line is found, with its place', () => {
  const page = (text: string): string[] => problemsIn('page.md', documentedCommands(text, true));

  test.each([
    [
      'an unknown command',
      'Text\n\n    millrace statu --watch',
      "page.md:3: millrace statu --watch: error: unknown command 'statu'",
    ],
    [
      'an unknown subcommand',
      '    millrace get conectors',
      "page.md:1: millrace get conectors: error: unknown command 'conectors'",
    ],
    ['an unknown option', '    npx millrace dev --sed', "page.md:1: millrace dev --sed: error: unknown option '--sed'"],
    [
      'a missing argument',
      '```\nmillrace preview\n```',
      "page.md:2: millrace preview: error: missing required argument 'file'",
    ],
    [
      'a missing option',
      '    millrace diff',
      "page.md:1: millrace diff: error: required option '-f, --filename <path>' not specified",
    ],
    [
      'a continuation line',
      '    millrace top \\\n      --tasks --srt lag',
      "page.md:1: millrace top --tasks --srt lag: error: unknown option '--srt'",
    ],
    [
      'after another command',
      '    cat a | millrace produce -',
      'page.md:1: millrace produce -: error: required option',
    ],
    ['inside of a command', '    eval "$(millrace completion basch)"', 'page.md:1: millrace completion basch: error:'],
    ['in a container', '    docker run --rm millrace dve', "page.md:1: millrace dve: error: unknown command 'dve'"],
    ['inline, an unknown command', 'Use `millrace dve`.', "page.md:1: millrace dve: error: unknown command 'dve'"],
    ['inline, an unknown option', 'Use `millrace dev --sed`.', "page.md:1: millrace dev --sed: unknown option '--sed'"],
    ['inline, a choice', '`millrace top --sort no`', "page.md:1: millrace top --sort no: error: option '--sort <key>'"],
  ])('%s', (_, text, problem) => {
    expect(page(text)).toEqual([expect.stringContaining(problem)]);
  });

  test.each([
    ['a mention of a command', 'Use `millrace dlq`.'],
    ['a mention of an option that has a value', '`millrace preview --offsets`'],
    ['all commands', '`millrace <command> --help` and `millrace --help`'],
    ['the image alone', '    docker run -e A=b millrace'],
    ['an environment variable, a comment and a redirection', '    MILLRACE_URL=x millrace offsets export a > b  # c'],
    ['other programs and files', '    curl localhost/millrace\n    ls millrace dve'],
  ])('%s is not', (_, text) => {
    expect(page(text)).toEqual([]);
  });
});

test.each<[string, string[][]]>([
  [`a 'b c' "d e" f\\ g`, [['a', 'b c', 'd e', 'f g']]],
  ['a && b | c; d & # e', [['a'], ['b'], ['c'], ['d']]],
  [
    'source <(a b) > c d',
    [
      ['a', 'b'],
      ['source', '', 'd'],
    ],
  ],
  ['a <file...> [b] c < d', [['a', '<file...>', '[b]', 'c']]],
  [
    `x "$(a 'b)')" c`,
    [
      ['a', 'b)'],
      ['x', '', 'c'],
    ],
  ],
])('commands of %s', (line, commands) => {
  expect(shellCommands(line)).toEqual(commands);
});
