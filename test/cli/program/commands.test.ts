import { COMMANDS } from '../../../src/cli/commands';
import { runCli } from '../../../src/cli/cli';
import { type CommandSpec, loadCommand } from '../../../packages/cli/src/program/command-spec';
import { optionsOf } from '../../../packages/cli/src/program/shared-options';
import { FakeIo } from '../fake-io';

/** Every command and subcommand with its words. */
function pathsOf(specs: readonly CommandSpec[], before: readonly string[] = []): [string[], CommandSpec][] {
  return specs.flatMap((spec) => {
    const path = [...before, spec.name];
    return [[path, spec] as [string[], CommandSpec], ...pathsOf(spec.subcommands ?? [], path)];
  });
}
const ALL = pathsOf(Object.keys(COMMANDS.list).flatMap((name) => loadCommand(COMMANDS, name) ?? []));

test('each command is in one group of the list of commands', () => {
  expect(COMMANDS.groups.flatMap(([, names]) => names).sort()).toEqual(Object.keys(COMMANDS.list).sort());
});

test('each command is loaded under its own name', () => {
  for (const name of Object.keys(COMMANDS.list)) expect(loadCommand(COMMANDS, name)?.name).toBe(name);
  expect(loadCommand(COMMANDS, 'constructor')).toBeUndefined();
});

test('the list of commands has the arguments of each, and says whether it has options', () => {
  for (const [name, { usage }] of Object.entries(COMMANDS.list)) {
    const spec = loadCommand(COMMANDS, name)!;
    const words = (spec.arguments ?? []).map((argument) => argument.name);
    if (optionsOf(spec).length > 0) words.unshift('[options]');
    expect([name, usage]).toEqual([name, words.join(' ')]);
  }
});

test('a command after -- runs, too', async () => {
  const io = new FakeIo('/');
  expect(await runCli(['--', 'completion', 'bash'], io)).toBe(0);
  expect(io.out).toContain('complete');
});

test.each(ALL.map(([path, spec]) => [path.join(' '), path, spec] as const))(
  '%s --help: what it does, its options, an example',
  async (_, path, spec) => {
    const io = new FakeIo('/');
    expect(await runCli([...path, '--help'], io)).toBe(0);
    expect(io.err).toBe('');
    expect(io.out).toContain(`Usage: millrace ${path.join(' ')}`);
    expect(io.out).toContain(`\nExamples:\n  # ${spec.examples[0].explanation}\n  millrace ${path[0]}`);
    const help = new FakeIo('/');
    expect(await runCli(['help', ...path], help)).toBe(0);
    expect(help.out).toBe(io.out);
  },
);

test.each(ALL.flatMap(([path, { load }]) => (load ? [[path.join(' '), load] as const] : [])))(
  '%s: its code can be loaded',
  (_, load) => {
    expect(load()).toMatchObject({ run: expect.any(Function) });
  },
);

test('each example is of its own command', () => {
  for (const [path, { examples }] of ALL)
    for (const { command } of examples) expect(command.split(/[ |]/).slice(0, path.length)).toEqual(path);
});
