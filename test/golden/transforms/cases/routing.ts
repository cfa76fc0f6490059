/** Transformations of topics and headers. */
import { map, nothing, on, order, refused, sparse, type Case } from './inputs';

const topics = (...names: string[]) => names.map((topic) => ({ topic }));

const regex: [string, string, ...string[]][] = [
  ['orders', 'x', 'orders', 'orders2', ''],
  ['(.*)', '$1-copy', 'orders', 'a.b.c'],
  ['([a-z]+)\\.([a-z]+)', '$2_$1', 'public.orders', 'public.orders2', 'a.b.c'],
  ['(?<db>.*)-(?<table>.*)', '${table}.${db}', 'shop-orders', 'none'],
  ['a|ab', 'X', 'ab', 'a', 'b'],
  ['(a)(b)?.*', '[$1$2]', 'ac', 'abc'],
  ['(o).*', '$10', 'orders'],
  ['.*', '\\$1\\\\', 'orders'],
  ['ORDERS', 'x', 'orders'],
  ['(?i)ORDERS', 'x', 'orders'],
  ['\\Qa.b\\E.*', 'x', 'a.b.c', 'axb'],
  ['[\\w-]+', '', 'orders'],
  ['((a)[(\\]])?(\\[x\\(])?(?:c)(?<n>d)', '$1$2$3${n}', 'a(cd', 'a][x(]cd', 'cd'],
  [' orders ', ' y ', 'orders'],
];

const timestamps = [1_700_000_000_123, 0, -1, 951_782_400_000, 4_102_444_799_999].map((timestamp) => ({ timestamp }));
const formats = [
  'yyyyMMdd',
  "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
  'yy.M.d H:m:s.S',
  'EEE, d MMM yyyy hh:mm a z',
  'EEEE MMMM dd, kk K D DDD u G',
  "''yyyy''''MM'o''clock'",
  'yyyyy SSSSSS XXX XX X zzzz',
  'LLL LLLL L',
  '',
];
const weekFormats = ['YYYYMM', "YYYY-'W'ww-u", 'YY w W F', 'YYYYY www WW FF E DDD'];
/** Days around the turn of years that begin on different weekdays, and of a month that begins on a Saturday. */
const weekTimes = [
  '2024-12-28',
  '2024-12-29',
  '2024-12-31',
  '2025-01-01',
  '2025-01-04',
  '2025-01-05',
  '2023-01-01',
  '2022-12-31',
  '2005-01-01',
  '2004-12-25',
  '2000-02-29',
  '2022-10-01',
  '2022-10-02',
  '2022-10-31',
  '1969-12-31',
  '1970-01-04',
].map((day) => ({ timestamp: Date.parse(day) }));

const literals = '12,null,true,1.5,text,,[1;2],{"a":1},{"a":1;"b":"x"}, 7 ,2024-02-03,"q",99999999999999'.split(',');
const headers = { fields: 'title,ratio', headers: 'h1,h2' };

export const routing: Case[] = [
  ...regex.flatMap(([pattern, replacement, ...names]) =>
    on('RegexRouter', [{ regex: pattern, replacement }], topics(...names)),
  ),
  ...refused('RegexRouter', {}, { regex: 'a' }, { replacement: 'a' }, { regex: '(', replacement: 'a' }),

  ...on('TimestampRouter', [{}], [...timestamps, { topic: 'a${timestamp}b$1' }]),
  ...formats.flatMap((format) => on('TimestampRouter', [{ 'timestamp.format': format }], timestamps)),
  ...weekFormats.flatMap((format) => on('TimestampRouter', [{ 'timestamp.format': format }], weekTimes)),
  ...['${topic}', '${timestamp}', '${topic}${topic}/${timestamp}${timestamp}$1', 'fixed', ''].flatMap((format) =>
    on('TimestampRouter', [{ 'topic.format': format }], timestamps.slice(0, 1)),
  ),

  ...on('DropHeaders', [{ headers: 'trace' }, { headers: 'x, n,trace,n' }, { headers: 'Trace' }], [order, nothing]),
  ...refused('DropHeaders', {}, { headers: '' }, { headers: 'a,,b' }),
  ...literals.flatMap((literal) =>
    on('InsertHeader', [{ header: 'trace', 'value.literal': literal.replace(';', ',') }], [order, nothing]),
  ),
  ...refused('InsertHeader', {}, { header: 'a' }, { 'value.literal': 'a' }),
  ...on('Filter', [{}]),

  ...['copy', 'move'].flatMap((operation) =>
    on('HeaderFrom$Value', [
      { ...headers, operation },
      { fields: 'title', headers: 'trace', 'replace.null.with.default': 'false', operation },
      { fields: 'address,missing', headers: 'a,b', operation },
      { fields: 'id,id', headers: 'a,b', operation },
    ]),
  ),
  ...on('HeaderFrom$Key', [{ fields: 'id', headers: 'id', operation: 'move' }], [order, sparse, map]),
  ...refused('HeaderFrom$Value', {}, headers, { ...headers, operation: 'Move' }),
  ...refused('HeaderFrom$Value', { fields: '', headers: '', operation: 'move' }),
  ...refused('HeaderFrom$Value', { fields: 'a', headers: 'a,b', operation: 'move' }),
];
