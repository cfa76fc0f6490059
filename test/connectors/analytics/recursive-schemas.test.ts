/** Records of schemas that contain themselves: lines of JSON formats, and a clear error for Avro files. */
import { MAX_NESTING, structSchema, type SinkRecord } from '@millrace/sdk';
import { findFormat, type Format } from '../../../connectors/analytics/src/mapping/formats';
import { avroSchema } from '../../../connectors/analytics/src/records/avro-data';
import { jsonText } from '../../../connectors/analytics/src/records/json-value';
import { unwritable } from '../../../connectors/analytics/src/records/record-error';
import { rowOf, type RowSettings } from '../../../connectors/analytics/src/records/row';
import { chain, doubled, NODE, recursiveStruct } from '../../helpers/recursive-schemas';
import { sinkRecord } from './sink-record';

const SETTINGS: RowSettings = { validateJson: true, metadataColumns: [] };
const record = (of: unknown): SinkRecord => sinkRecord(of, { valueSchema: NODE });
const row = (of: unknown, format: string): ReturnType<typeof rowOf> =>
  rowOf(record(of), findFormat(format) as Format, SETTINGS);

test('JSON formats have the value', () => {
  const written = row(chain(3), 'json') as { bytes: Buffer };
  expect(JSON.parse(written.bytes.toString())).toEqual(chain(3));
  expect(JSON.parse(jsonText(NODE, chain(MAX_NESTING)))).toEqual(chain(MAX_NESTING));
  expect(() => jsonText(NODE, chain(MAX_NESTING + 1))).toThrow(expect.objectContaining({ code: 'VALUE_TOO_DEEP' }));
  const unending = recursiveStruct((of) => [['next', of]], { default: { next: null } });
  expect(() => jsonText(unending, {})).toThrow(expect.objectContaining({ code: 'VALUE_TOO_DEEP' }));
});

test('the error for a value that is too deep names the field', () => {
  expect(unwritable(record(chain(MAX_NESTING + 1)), 'json', null).message).toMatch(
    /^The value cannot be written as json: next\.next.*: it is nested deeper than 1000 levels\.$/,
  );
});

test('Avro files have an error, also for a schema that is too large', () => {
  expect(() => row(chain(3), 'avro')).toThrow(
    expect.objectContaining({ code: 'ANALYTICS_RECORD', message: expect.stringContaining('contains itself') }),
  );
  expect(() => avroSchema(structSchema([['node', NODE]]))).toThrow('the schema contains itself');
  expect(() => avroSchema(doubled(60))).toThrow('the schema has more than 10000 structs');
});
