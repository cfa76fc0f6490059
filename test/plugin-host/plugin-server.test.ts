/** The recorded step of the thread, and when it is empty: the worker reads it when the thread no longer answers. */
import { reportStep } from '../../src/config/validation/validation-step';
import type { ConfigValidator } from '../../src/config/validation/config-infos';
import { silentLogger } from '../../src/logging/logger';
import type { FromPluginThread } from '../../src/plugin-host/protocol/messages';
import { PluginServer } from '../../src/plugin-host/plugin-server';
import { CurrentStep } from '../../src/plugin-host/protocol/current-step';

const currentStep = new CurrentStep();
const posted: FromPluginThread[] = [];
let load: () => Promise<unknown>;
let validate: () => Promise<unknown>;
let resolve: (config: Record<string, string>) => Promise<Record<string, string>>;
const server = new PluginServer({
  registry: { load: () => load() } as never,
  validator: ({ resolve: given }) => {
    resolve = given as typeof resolve;
    return { validate: () => validate() } as unknown as ConfigValidator;
  },
  recordTexts: async () => await Promise.resolve([]),
  logger: silentLogger,
  currentStep,
  post: (message) => posted.push(message),
});
let last = 0;
const ask = (name: string, ...args: unknown[]): number => {
  server.handle({ type: 'call', call: ++last, name, args });
  return last;
};
const settle = async (): Promise<void> => await new Promise((resolve) => setImmediate(resolve));
const answered = (call: number): boolean => posted.some((message) => 'call' in message && message.call === call);
const description = { class: 'C', location: '/plugins/c' };

test.each([
  ['a failed import', 'traits', () => Promise.reject(new Error('not there'))],
  ['an import', 'traits', async () => ({ type: 'source' })],
  ['a change of offsets', 'alterOffsets', async () => ({ alterOffsets: () => true })],
  ['one that throws', 'alterOffsets', async () => ({ alterOffsets: () => Promise.reject(new Error('no')) })],
])('after %s the recorded step is empty', async (_what, name, loads) => {
  load = loads;
  const call = ask(name, description, {}, [], 'alter');
  expect([currentStep.step, currentStep.call]).toEqual(['the import of C in /plugins/c', call]);
  await settle();
  expect(answered(call)).toBe(true);
  expect([currentStep.step, currentStep.owner, currentStep.call]).toEqual(['', 0, 0]);
});

test('a validation clears its step, but not the step of another call', async () => {
  const ends: (() => void)[] = [];
  validate = async () => {
    reportStep(`the check of "${last}"`);
    await new Promise<void>((resolve) => ends.push(resolve));
    return {};
  };
  const first = ask('validate', {});
  const second = ask('validate', {});
  ends[0]?.();
  await settle();
  expect(answered(first)).toBe(true);
  expect([currentStep.step, currentStep.call]).toEqual([`the check of "${second}"`, second]);
  ends[1]?.();
  await settle();
  expect([currentStep.step, currentStep.call]).toEqual(['', 0]);
});

test('the step of a validation and its uncaught error show the placeholders of the config', async () => {
  let step = '';
  validate = async () => {
    const { a } = await resolve({ a: '${file:/s:pw}' });
    reportStep(`the check of "${a}"`);
    step = currentStep.step;
    server.onCrash(new Error(`no ${a}`, { cause: new TypeError(`not ${a}`) }));
    return {};
  };
  ask('validate', {});
  await settle();
  const request = posted.findLast((message) => message.type === 'call');
  server.handle({ type: 'value', call: request?.call ?? 0, value: { a: 's3cret-value' } });
  await settle();
  expect(step).toBe('the check of "${file:/s:pw}"');
  const crash = posted.find((message) => message.type === 'crash');
  expect(crash).toMatchObject({ call: last, error: { message: 'no ${file:/s:pw}' } });
  expect(JSON.stringify(crash)).not.toContain('s3cret');
});

test('an instance is released once, also if that is wanted while its plugin is being imported', async () => {
  let released = 0;
  const create = (): object => ({ taskConfigs: () => [], release: () => released++ });
  load = async () => ({ create });
  const spec = (instance: number): object => ({
    instance,
    connector: 'c',
    description,
    config: {},
    workerSettings: {},
  });
  ask('create', spec(1));
  await settle();
  server.handle({ type: 'release', instance: 1 });
  server.handle({ type: 'release', instance: 1 });
  expect(released).toBe(1);
  expect([currentStep.step, currentStep.call]).toEqual(['', 0]);

  let loaded: (plugin: unknown) => void = () => undefined;
  load = () => new Promise((resolve) => (loaded = resolve));
  const call = ask('create', spec(2));
  await settle();
  server.handle({ type: 'release', instance: 2 });
  loaded({ create: () => Promise.reject(new Error('must not be created')) });
  await settle();
  expect(posted.find((message) => message.type === 'error' && message.call === call)).toMatchObject({
    error: { message: 'The connector has been released.' },
  });
});
