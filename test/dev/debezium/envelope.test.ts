/** Schema and payload of what Java's JsonConverter writes, as texts. */
import { dataOf } from '../../../dev/debezium/envelope';

const ID = '{"type":"int32","optional":false}';
const STRUCT =
  '{"type":"struct","fields":[{"type":"string","optional":true,"default":"\\",\\"payload\\":1","field":"payload"}],"optional":false}';

test.each<[string, string | null, readonly [string | null, string | null]]>([
  ['a number', `{"schema":${ID},"payload":1}`, [ID, '1']],
  ['null with a schema', `{"schema":${ID},"payload":null}`, [ID, 'null']],
  [
    'a value without a schema',
    '{"schema":null,"payload":{"payload":{},"schema":1}}',
    [null, '{"payload":{},"schema":1}'],
  ],
  [
    'names and texts that look like its own',
    `{"schema":${STRUCT},"payload":{"payload":"}"}}`,
    [STRUCT, '{"payload":"}"}'],
  ],
  ['nothing', null, [null, null]],
])('%s', (_name, text, expected) => {
  expect(dataOf(text && Buffer.from(text))).toEqual(expected);
});

test.each([
  ['another text', Buffer.from('{"id":1}'), /not an envelope/],
  ['an envelope that is cut off', Buffer.from(`{"schema":${ID},"payload":1`), /not an envelope/],
  ['no bytes', { id: 1 }, /not bytes/],
])('%s is refused', (_name, bytes, message) => {
  expect(() => dataOf(bytes)).toThrow(message);
});
