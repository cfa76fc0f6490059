/**
 * What `poll` of a source may return that the SDK does not allow, and what the error says. In JavaScript, because a
 * plugin in a task thread loads it, too.
 */

const promise = Promise.resolve(1);
const primitive =
  'which is not a primitive value: expected null, a boolean, a finite number, a bigint of 64 bits, a string or bytes';
const map = 'expected an object of primitive values, or null';

/** @param {string} topic */
const goodRecord = (topic) => ({
  sourcePartition: { file: 'a' },
  sourceOffset: { n: 1 },
  topic,
  keySchema: null,
  key: 'k1',
  valueSchema: null,
  value: 'v1',
});

/**
 * What is no array: its name, the value, and its kind in the message.
 * @param {string} topic
 * @returns {[string, unknown, string][]}
 */
const notArrays = (topic) => [
  ['an object', {}, 'an object'],
  ['a string', 'records', 'a string'],
  ['a number', 7, 'a number'],
  ['a Set', new Set(), 'a Set'],
  ['a record', goodRecord(topic), 'an object'],
  ['a generator', (function* () {})(), 'an object'],
];

/**
 * Wrong records: their name, the record, the topic in the message, and the reason.
 * @param {string} topic
 * @returns {[string, unknown, string, string][]}
 */
const wrongRecords = (topic) => {
  const good = goodRecord(topic);
  /** @param {object} over */
  const bad = (over) => ({ ...good, ...over });
  const at = ` (topic ${topic})`;
  return [
    ['is null', null, '', 'it is null: expected a record'],
    ['is undefined', undefined, '', 'it is undefined: expected a record'],
    ['is a string', 'v', '', 'it is a string: expected a record'],
    ['is an array', [good], '', 'it is an array: expected a record'],
    ['is a Promise', Promise.resolve(good), '', 'it is a Promise: expected a record'],
    ['has no topic', bad({ topic: undefined }), '', 'topic must be a non-empty string, but is undefined'],
    ['has an empty topic', bad({ topic: '' }), ' (topic )', 'topic must be a non-empty string, but is empty'],
    ['has an object as topic', bad({ topic: { name: 't' } }), '', 'topic must be a non-empty string, but is an object'],
    [
      'has no sourcePartition',
      bad({ sourcePartition: undefined }),
      at,
      'sourcePartition is missing: use null for none',
    ],
    ['has a text as sourcePartition', bad({ sourcePartition: 'a' }), at, `sourcePartition is a string: ${map}`],
    ['has no sourceOffset', bad({ sourceOffset: undefined }), at, 'sourceOffset is missing: use null for none'],
    ['has a number as sourceOffset', bad({ sourceOffset: 5 }), at, `sourceOffset is a number: ${map}`],
    ['has an array as sourceOffset', bad({ sourceOffset: [5] }), at, `sourceOffset is an array: ${map}`],
    ['has a Map as sourceOffset', bad({ sourceOffset: new Map([['n', 1]]) }), at, `sourceOffset is a Map: ${map}`],
    ['has a Promise as sourceOffset', bad({ sourceOffset: promise }), at, `sourceOffset is a Promise: ${map}`],
    [
      'has an object in the offset',
      bad({ sourceOffset: { n: {} } }),
      at,
      `member "n" of sourceOffset is an object, ${primitive}`,
    ],
    [
      'has a Date in the offset',
      bad({ sourceOffset: { n: new Date() } }),
      at,
      `member "n" of sourceOffset is a Date, ${primitive}`,
    ],
    [
      'has a function in the offset',
      bad({ sourceOffset: { n: () => 1 } }),
      at,
      `member "n" of sourceOffset is a function, ${primitive}`,
    ],
    [
      'has a Promise in the offset',
      bad({ sourceOffset: { n: promise } }),
      at,
      `member "n" of sourceOffset is a Promise, ${primitive}`,
    ],
    [
      'has undefined in the offset',
      bad({ sourceOffset: { n: undefined } }),
      at,
      `member "n" of sourceOffset is undefined, ${primitive}`,
    ],
    ['has NaN in the offset', bad({ sourceOffset: { n: NaN } }), at, `member "n" of sourceOffset is NaN, ${primitive}`],
    [
      'has too large a bigint in the offset',
      bad({ sourceOffset: { n: 2n ** 63n } }),
      at,
      `member "n" of sourceOffset is a bigint, ${primitive}`,
    ],
    [
      'has an array in the partition',
      bad({ sourcePartition: { n: [] } }),
      at,
      `member "n" of sourcePartition is an array, ${primitive}`,
    ],
    ['has no keySchema', bad({ keySchema: undefined }), at, 'keySchema is missing: use null for none'],
    [
      'has a text as valueSchema',
      bad({ valueSchema: 'STRING' }),
      at,
      'valueSchema is a string: expected a schema, or null',
    ],
    [
      'has an object as valueSchema',
      bad({ valueSchema: {} }),
      at,
      'valueSchema is an object: expected a schema, or null',
    ],
    ['has a Promise as value', bad({ value: promise }), at, 'value is a Promise: await it before poll() returns'],
    [
      'has a thenable as key',
      bad({ key: { then: () => undefined } }),
      at,
      'key is a Promise: await it before poll() returns',
    ],
    [
      'has a partition below 0',
      bad({ partition: -1 }),
      at,
      'partition is -1: expected a whole number of 0 or more, or null',
    ],
    [
      'has a text as partition',
      bad({ partition: '1' }),
      at,
      'partition is a string: expected a whole number of 0 or more, or null',
    ],
    [
      'has a timestamp below -1',
      bad({ timestamp: -5 }),
      at,
      'timestamp -5 is invalid: expected a whole number of milliseconds since the epoch, or null',
    ],
    [
      'has a timestamp with a fraction',
      bad({ timestamp: 1.5 }),
      at,
      'timestamp 1.5 is invalid: expected a whole number of milliseconds since the epoch, or null',
    ],
    [
      'has a Date as timestamp',
      bad({ timestamp: new Date(0) }),
      at,
      'timestamp (a Date) is invalid: expected a whole number of milliseconds since the epoch, or null',
    ],
    [
      'has an object as headers',
      bad({ headers: { a: 1 } }),
      at,
      'headers is an object: expected an array of { key, schema, value }, or null',
    ],
    [
      'has a pair as header',
      bad({ headers: [['a', 1]] }),
      at,
      'headers[0] is an array: expected { key, schema, value }',
    ],
    [
      'has a header without a key',
      bad({ headers: [{ schema: null, value: 1 }] }),
      at,
      'headers[0].key is undefined: expected a string',
    ],
    [
      'has a header without a schema',
      bad({ headers: [{ key: 'a', value: 1 }] }),
      at,
      'headers[0].schema is missing: use null for none',
    ],
    [
      'has a Promise as header',
      bad({ headers: [{ key: 'a', schema: null, value: promise }] }),
      at,
      'headers[0].value is a Promise: await it before poll() returns',
    ],
  ];
};

module.exports = { goodRecord, notArrays, wrongRecords };
