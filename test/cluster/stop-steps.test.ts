import { StopSteps } from '../../src/cluster/stop-steps';
import { RecordingLogger } from '../tasks/fakes';

const never = (): Promise<never> => new Promise(() => undefined);

test('a late or failing step does not prevent the next one, and the result names both', async () => {
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

test('a complete stop logs nothing', async () => {
  const logger = new RecordingLogger();
  const steps = new StopSteps(1_000, logger);
  await steps.run('all', async () => undefined);
  expect(() => steps.throwUnfinished()).not.toThrow();
  expect(logger.lines).toEqual([]);
});
