import { MemoryLogger } from '@millrace/sdk/testing';
import type { Logger } from '../../../src/logging/logger';
import { waitFor } from '../../helpers/wait-for';
import { createWorker } from '../herder-fixtures';
import { MemoryKafka } from '../memory-kafka';

test('a herder that hangs is reported with its current step, and again when it returns', async () => {
  const log = new MemoryLogger();
  const logger: Logger = Object.assign(log, { child: () => logger });
  const kafka = new MemoryKafka();
  const startedAt = Date.now();
  const worker = createWorker(kafka, 'g', {
    config: { watchdog: { taskMs: 0, taskAction: 'log', tickMs: 40, threadMs: 0 } },
    logger,
  });
  await worker.herder.start();
  try {
    expect(await worker.herder.health()).toMatchObject({ status: 'healthy' });
    const member = kafka.members[0];
    member?.hold();
    member?.requestRejoin('test');
    const has = (text: string) => (): boolean => log.lines.some((line) => line.includes(text));
    await waitFor('it to be said', has("error This worker's herder has not returned for"), { everyMs: 5 });
    const line = log.lines.find((line) => line.startsWith("error This worker's herder")) ?? '';
    expect(line).toContain('The worker is currently ensuring membership in the cluster');
    const began = Date.parse(/ s, since (\S+)\. /.exec(line)?.[1] ?? '');
    expect([began >= startedAt - 1_000, began <= Date.now()]).toEqual([true, true]);
    member?.release();
    await waitFor('the end to be said', has("warn This worker's herder returned after"), { everyMs: 5 });
  } finally {
    await worker.herder.stop();
  }
});
