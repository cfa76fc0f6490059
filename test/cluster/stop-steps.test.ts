import { StopSteps } from '../../src/cluster/stop-steps';
import { RecordingLogger } from '../tasks/fakes';

const never = (): Promise<never> => new Promise(() => undefined);

test('a step that is late or fails does not keep the next from being taken, and the end names both', async () => {
  const steps = new StopSteps(0, new RecordingLogger());
  const taken: string[] = [];
  await steps.run('what hangs', never);
  await steps.run('what fails', async () => {
    throw new Error('no broker');
  });
  await steps.run('the rest', async () => taken.push('the rest'));
  expect(taken).toEqual(['the rest']);
  expect(() => steps.throwUnfinished()).toThrow(
    /^Stopped without what hangs \(not done within \d+ ms\); what fails \(no broker\)$/,
  );
});

test('an end with nothing left over says nothing', async () => {
  const logger = new RecordingLogger();
  const steps = new StopSteps(1_000, logger);
  await steps.run('all', async () => undefined);
  expect(() => steps.throwUnfinished()).not.toThrow();
  expect(logger.lines).toEqual([]);
});
