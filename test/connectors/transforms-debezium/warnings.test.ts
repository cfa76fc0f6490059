/** What transformations log, where Debezium 3.7 logs a warning or an error. Lines never hold values of records. */
import type { ConnectorConfig, TransformationPlugin } from '@millrace/sdk';
import { MemoryLogger } from '@millrace/sdk/testing';
import {
  byLogicalTableRouter,
  eventRouter,
  timezoneConverter,
  toLogicalTopicRouter,
} from '../../../connectors/transforms-debezium/src';
import { create } from '../../golden/transforms/cases/change-events';
import { outboxEvent } from '../../golden/transforms/cases/outbox';
import { timesEvent } from '../../golden/transforms/cases/time-zones';
import { readRecord, type RecordNotation } from '../../golden/transforms/notation';

/** The lines of the log for these records. */
function logged(
  plugin: TransformationPlugin,
  config: ConnectorConfig,
  records: readonly RecordNotation[],
): readonly string[] {
  const logger = new MemoryLogger();
  const transformation = plugin.create();
  transformation.configure(config, { logger });
  for (const record of records) transformation.apply(readRecord(record));
  return logger.lines;
}
const TOPIC = create.topic;
const SECRET = 'not-for-the-log';
const outbox = (row: Parameters<typeof outboxEvent>[0], op = 'c'): RecordNotation => ({
  ...outboxEvent(row, op),
  topic: 'o',
});

describe('cdc-postgres 107, 108: warnings of transformations', () => {
  test.each(['warn', 'error'])('updates of an outbox, table.op.invalid.behavior=%s: one line', (mode) => {
    const update = outbox({ payload: SECRET, aggregateid: SECRET }, 'u');
    expect(logged(eventRouter, { 'table.op.invalid.behavior': mode }, [update, update, outbox({})])).toEqual([
      `${mode} Dropping an update of topic o: rows of an outbox table must not change.`,
    ]);
  });

  test('payloads that cannot be expanded: one line, also after a dropped update', () => {
    const config = { 'table.expand.json.payload': 'true' };
    const texts = [SECRET, `{"${SECRET}":`, `[{"${SECRET}":1},"x"]`].map((payload) => outbox({ payload }));
    const lines = logged(eventRouter, config, [outbox({}, 'u'), outbox({ payload: null }), outbox({}), ...texts]);
    expect(lines).toEqual([
      'warn Dropping an update of topic o: rows of an outbox table must not change.',
      'warn A payload of topic o is not expanded: it is not an object or array in JSON, has no Connect schema or exceeds a limit.',
    ]);
    const binary = logged(eventRouter, { ...config, 'table.field.event.payload': 'data' }, [outbox({ data: 'YQ==' })]);
    expect(binary).toEqual(lines.slice(1));
  });

  test('columns whose type has no time zone: one line each', () => {
    const config = { 'converted.timezone': '+01:00' };
    const event = timesEvent({ connectday: 5, connecttime: 6 });
    const lines = ['connectday', 'connecttime'].map((name) => {
      const type = name === 'connectday' ? 'Date' : 'Time';
      return `warn Field ${name} of topic ${event.topic} cannot be converted: org.apache.kafka.connect.data.${type} has no time zone.`;
    });
    expect(logged(timezoneConverter, config, [event, event])).toEqual(lines);
    const excluded = { ...config, 'exclude.list': `topic:${event.topic}:connectday` };
    expect(logged(timezoneConverter, excluded, [event])).toEqual(lines.slice(1));
    expect(logged(timezoneConverter, { ...config, 'include.list': 'topic:other' }, [event])).toEqual([]);
  });

  test('a topic without a name: one line; the record stays in its topic', () => {
    const config = { 'topic.regex': '(x)?shop.*', 'topic.replacement': '$1' };
    expect(logged(toLogicalTopicRouter, config, [create, create])).toEqual([
      `warn Records of topic ${TOPIC} stay there: topic.replacement results in no name.`,
    ]);
  });

  test('a deprecated class', () => {
    const config = { 'topic.regex': 'x', 'topic.replacement': 'y' };
    expect(logged(toLogicalTopicRouter, config, [create])).toEqual([]);
    expect(logged(byLogicalTableRouter, config, [create])).toEqual([
      expect.stringContaining('use io.debezium.transforms.ToLogicalTopicRouter, with key.field.name=__dbz__'),
    ]);
  });
});
