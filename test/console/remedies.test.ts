/** What the buttons of a reason do, and how reasons look. */
import {
  deadLetterTopicOf,
  labelOf,
  skipped,
  topicProblem,
  withDeadLetterQueue,
} from '../../packages/console/src/pages/connector/remedies';
import { effectsOf } from '../../packages/console/src/offsets/effects';
import { patchOf, readOffsets } from '../../packages/console/src/offsets/offsets-model';
import { toneOfReason } from '../../packages/console/src/parts/states';

const SKIP = { kind: 'skip-record', topic: 'orders', partition: 1, offset: 13 } as const;
const stored = (offset: number) =>
  readOffsets(
    JSON.stringify({
      offsets: [
        { partition: { kafka_topic: 'orders', kafka_partition: 0 }, offset: { kafka_offset: 5 } },
        { partition: { kafka_partition: 1, kafka_topic: 'orders' }, offset: { kafka_offset: offset } },
      ],
    }),
    'sink',
  );

test('each action has a label', () => {
  const kinds = [SKIP, { kind: 'dead-letter-queue' }, { kind: 'reset-offsets' }, { kind: 'restart' }] as const;
  expect(kinds.map(labelOf)).toEqual([
    'Skip to offset 13',
    'Set a dead letter queue',
    'Reset offsets',
    'Restart what failed',
  ]);
});

test('a record is skipped: what is between the committed offset and the new one is said to be lost', () => {
  const change = skipped(SKIP, stored(10));
  expect(JSON.parse(patchOf([change], 'sink'))).toEqual({
    offsets: [{ partition: { kafka_topic: 'orders', kafka_partition: 1 }, offset: { kafka_offset: 13 } }],
  });
  expect(effectsOf([change], 'sink', {})).toEqual([
    {
      partition: 'orders, partition 1',
      sentence: 'From 10 to 13: 3 records are skipped, and never delivered.',
      isLoss: true,
    },
  ]);
  const first = effectsOf([skipped(SKIP, [])], 'sink', {});
  expect(first[0]?.sentence).toBe('Begins at offset 13; earlier records are not delivered.');
});

test('a topic for dead letters: a name that Kafka takes', () => {
  expect(deadLetterTopicOf('orders → billing')).toBe('orders---billing-dead-letters');
  expect(topicProblem(deadLetterTopicOf('ä'.repeat(300)))).toBeNull();
  expect(['', '.', 'a b', 'a'.repeat(250)].map((topic) => topicProblem(topic) === null)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('the keys of a dead letter queue are added to a config', () => {
  expect(withDeadLetterQueue({ name: 'a', 'errors.tolerance': 'none' }, 't', '1')).toEqual({
    name: 'a',
    'errors.tolerance': 'all',
    'errors.deadletterqueue.topic.name': 't',
    'errors.deadletterqueue.topic.replication.factor': '1',
    'errors.deadletterqueue.context.headers.enable': 'true',
  });
});

test('what is unknown is never green', () => {
  const codes = ['PG_SLOT_LOST', 'TASK_FAILED', 'HEALTH_BEHIND', 'HEALTH_NOT_IN_GROUP', 'HEALTH_WORKER_SILENT'];
  expect(codes.map(toneOfReason)).toEqual(['failed', 'failed', 'degraded', 'unknown', 'unknown']);
});
