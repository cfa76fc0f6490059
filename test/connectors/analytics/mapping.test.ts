/** The list that maps topics to tables. */
import { findFormat, FORMAT_NAMES } from '../../../connectors/analytics/src/mapping/formats';
import { parseLenientJson } from '../../../connectors/analytics/src/mapping/lenient-json';
import { findMapping, parseMappings } from '../../../connectors/analytics/src/mapping/topic-mapping';

const strict = parseMappings('[{"topic":"t","db":"d","table":"T","format":"csv","mapping":"M"}]');
const problemsOf = (entry: object): readonly string[] =>
  parseMappings(JSON.stringify([{ topic: 't', db: 'd', table: 'T', ...entry }])).problems;

test.each([
  `[{'topic': 't', 'db': 'd', 'table': 'T', 'format': 'csv', 'mapping': 'M'}]`,
  `[{"topic": 't', 'db': "d", 'table': 'T', 'format': 'csv', 'mapping': 'M'}]`,
  ` [\n{ 'topic' :'t',\r\n'db':'d',\t'table':'T','format':'csv','mapping':'M' } ]\n`,
  `{'topic':'t','db':'d','table':'T','format':'csv','mapping':'M'}`,
])('analytics-sink 11: %j is read like strict JSON', (text) => {
  expect(parseMappings(text)).toEqual(strict);
  expect(strict).toMatchObject({ problems: [], warnings: [] });
});

test.each([
  [`[{'topic':'t','db':'d','table':'T','format':'csv','mapping':'M',},]`, 'a trailing comma before a closing bracket'],
  [`[{topic:t,db:d,table:T,format:csv,mapping:M}]`, 'names or values without quotes'],
  [`[{'topic'='t','db'=>'d','table'='T','format'='csv','mapping'='M'}]`, `'=' is used for ':'`],
  [`[{'topic':'t';'db':'d';'table':'T';'format':'csv';'mapping':'M'}]`, `';' is used for ','`],
])('analytics-sink 12: %s is read with a warning', (text, warning) => {
  expect(parseMappings(text)).toEqual({
    ...strict,
    warnings: [`The mapping is accepted, but is not valid JSON: ${warning}`],
  });
});

test.each([
  [`[{'topic':'t' 'db':'d'}]`, `expected ',' or '}' at line 1, column 15, found ''db':'d'}]'`],
  [`[{'topic':\n't`, `expected a closing quote for what begins at line 2, column 1, found ''t'`],
  [`t1:T1;t2:T2;`, `expected the end at line 1, column 3, found ':T1;t2:T2;'`],
  [`[{'topic':'t'}] // x`, `expected the end at line 1, column 17, found '// x'`],
  [`[[[[[1]]]],]`, 'it is nested deeper than 4 levels'],
  [`['\\q']`, `expected an escape at line 1, column 4, found 'q']'`],
])('a syntax error is reported with its position: %j', (text, why) => {
  expect(parseMappings(text).problems).toEqual([`The mapping is not a JSON list of objects: ${why}`]);
});

test('escapes, literals, and inherited object keys', () => {
  expect(parseLenientJson(`['\\'\\n\\u0041', true, false, null,]`).value).toEqual([`'\nA`, true, false, null]);
  const { value } = parseLenientJson(`{'__proto__': 'x',}`) as { value: object };
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  expect(() => parseLenientJson(' '.repeat(1024 * 1024 + 1))).toThrow('longer');
});

test.each([
  [{ streaming: 'true' }, true],
  [{ streaming: true }, true],
  [{}, false],
])('analytics-sink 13: %j', (entry, streaming) => {
  const text = JSON.stringify([{ topic: 't', db: 'd', table: 'T', ...entry }]);
  expect(parseMappings(text).mappings[0]?.streaming).toBe(streaming);
});

test.each(['db', 'table', 'topic'])('analytics-sink 14: %s missing, null or empty', (field) => {
  const message = `'${field}' must be provided for each mapping`;
  expect(problemsOf({ [field]: undefined })).toEqual([message]);
  expect(problemsOf({ [field]: null })).toEqual([message]);
  expect(problemsOf({ [field]: '' })).toEqual([message]);
});

test('analytics-sink 15: names that would change a management command are rejected', () => {
  const rule = 'Only alphanumeric characters, underscores, hyphens, and dots are allowed.';
  expect(problemsOf({ table: 'T; .drop table X' })).toEqual([
    `'table' contains invalid characters: 'T; .drop table X'. ${rule}`,
  ]);
  expect(problemsOf({ mapping: "m' | x" })).toEqual([`'mapping' contains invalid characters: 'm' | x'. ${rule}`]);
  expect(problemsOf({ db: 'd\n' })).toEqual([`'db' contains invalid characters: 'd\n'. ${rule}`]);
  expect(problemsOf({ format: 'csv;' })).toEqual([
    `'format' contains invalid characters: 'csv;'. Only alphanumeric characters are allowed.`,
  ]);
});

test('analytics-sink 16: a topic’s own entry takes precedence over *', () => {
  const { mappings } = parseMappings(`[{topic:'*',db:d,table:All},{topic:t,db:d,table:T}]`);
  expect(findMapping(mappings, 't')?.table).toBe('T');
  expect(findMapping(mappings, 'u')?.table).toBe('All');
  expect(findMapping(strict.mappings, 'u')).toBeNull();
});

test('analytics-sink 17: two entries of one topic', () => {
  expect(parseMappings(`[{topic:t,db:d,table:A},{topic:t,db:d,table:B}]`).problems).toEqual([
    'duplicate mapping for topic t',
  ]);
});

test('unknown fields', () => {
  expect(problemsOf({ color: 'red' })).toEqual([`'color' is not a field of a mapping`]);
  expect(problemsOf({ Topic: 'x' })).toEqual([`'Topic' is not a field of a mapping; write 'topic'`]);
  expect(problemsOf({ eventDataCompression: 'gz' })).toEqual([`'eventDataCompression' was removed in 1.0`]);
  expect(parseMappings('["t"]').problems).toEqual([`The mapping contains "t", which is not an object`]);
  expect(parseMappings('[]').problems).toEqual(['The mapping is empty']);
});

test.each([
  ['csv', 'csv', 'Csv'],
  ['txt', 'txt', 'Csv'],
  ['raw', 'raw', 'Csv'],
  ['json', 'multijson', 'Json'],
  ['singlejson', 'multijson', 'Json'],
  ['parquet', 'parquet', 'Parquet'],
  ['orc', 'orc', 'Orc'],
  ['sstream', 'sstream', 'SStream'],
  ['w3clogfile', 'w3clogfile', 'W3CLogFile'],
  ['apacheAvro', 'apacheavro', 'ApacheAvro'],
])('analytics-sink 18, 19: format %s is sent as %s with mappings of kind %s', (name, wireName, mappingKind) => {
  expect(findFormat(name)).toMatchObject({ wireName, mappingKind });
  expect(findFormat(name.toUpperCase())).toBe(findFormat(name.toLowerCase()));
});

test('analytics-sink 19: an unknown format', () => {
  const list = `the formats are ${FORMAT_NAMES.join(', ')}`;
  expect(problemsOf({ format: 'xml' })).toEqual([`'xml' is not a format; ${list}`]);
  expect(problemsOf({ format: 'constructor' })).toEqual([`'constructor' is not a format; ${list}`]);
  expect(problemsOf({ format: 'APACHEAVRO' })).toEqual([]);
});
