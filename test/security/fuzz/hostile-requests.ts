/** Random requests, the same for the same seed: some nearly valid, most invalid in one way or another. */
import { gzipSync } from 'node:zlib';
import { hostileConfig, type Secrets } from './hostile-configs';
import { seeded } from '../../helpers/seeded';

export interface FuzzRequest {
  readonly method: string;
  /** As it goes over the wire */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | null;
  readonly manner: Manner;
}

/** `client`: sent by an HTTP client; the others are written to a socket, since clients would reject them. */
export type Manner = 'client' | (typeof MANNERS)[number];

const MANNERS = [
  'as-it-is',
  'slow',
  'pipelined',
  'cut-off',
  'too-long',
  'bad-length',
  'both-lengths',
  'chunked',
  'bad-chunks',
  'endless-chunks',
  'twice',
  'many-headers',
] as const;

/** With the methods that they know. */
const ROUTES: readonly (readonly [path: string, ...methods: string[]])[] = [
  ['/', 'GET'],
  ['/health', 'GET'],
  ['/openapi.json', 'GET'],
  ['/connectors', 'GET', 'POST', 'POST', 'POST'],
  ['/connectors/NAME', 'GET', 'DELETE'],
  ['/connectors/NAME/config', 'GET', 'PUT', 'PUT', 'PATCH'],
  ['/connectors/NAME/status', 'GET'],
  ['/connectors/NAME/restart', 'POST'],
  ['/connectors/NAME/pause', 'PUT'],
  ['/connectors/NAME/resume', 'PUT'],
  ['/connectors/NAME/stop', 'PUT'],
  ['/connectors/NAME/topics', 'GET'],
  ['/connectors/NAME/topics/reset', 'PUT'],
  ['/connectors/NAME/offsets', 'GET', 'PATCH', 'DELETE'],
  ['/connectors/NAME/tasks', 'GET', 'POST'],
  ['/connectors/NAME/tasks/NUMBER/status', 'GET'],
  ['/connectors/NAME/tasks/NUMBER/restart', 'POST'],
  ['/connectors/NAME/tasks-config', 'GET'],
  ['/connector-plugins', 'GET'],
  ['/connector-plugins/PLUGIN/config', 'GET'],
  ['/connector-plugins/PLUGIN/config/validate', 'PUT', 'PUT', 'PUT'],
  ['/admin/loggers', 'GET'],
  ['/admin/loggers/fuzz.NAME', 'GET', 'PUT'],
];
const METHODS = ['GET', 'PUT', 'POST', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS', 'TRACE'];
const NAMES = [
  'none',
  'a b',
  'ä€😀',
  'x/y',
  '100%',
  'a+b',
  '..',
  '.',
  ' ',
  '%',
  '\'"<script>',
  '__proto__',
  'constructor',
];
const QUERIES = [
  'expand=info',
  'expand=status&expand=info',
  'forward=false',
  'forward=',
  'includeTasks=TRUE',
  'onlyFailed=1',
  '&&&=',
  'scope=cluster',
  'version=%5B1',
  '%zz=%',
  'connectorsOnly=false',
  'a[]=1',
];
const TYPES = [
  'application/json',
  'application/json',
  'application/json; charset=utf-8',
  'APPLICATION/JSON',
  'text/plain',
  'application/x-www-form-urlencoded',
  'application/*',
  '*/*',
  ';;',
  'application/json;charset=ISO-8859-1',
  'multipart/form-data',
];
const ACCEPTS = [
  '*/*',
  'application/json',
  'text/html',
  'application/json;q=0',
  'text/html,*/*;q=0.8',
  ',,;',
  'application/json;charset=utf-8',
];
const CONFIGS: readonly object[] = [
  { 'connector.class': 'FileStreamSink', topics: 'fuzz' },
  { 'connector.class': 'FileStreamSink' },
  { 'connector.class': 'FileStreamSink', topics: 'a,,a', 'tasks.max': 'x', 'errors.tolerance': null },
  { 'connector.class': 'FileStreamSink', 'topics.regex': '(a+)+$[' },
  { 'connector.class': 'Nope' },
  { 'connector.class': 'FileStreamSink', topics: 'fuzz', transforms: 'a,a', 'transforms.a.type': 5 },
  { 'connector.class': 'FileStreamSink', topics: '${env:PATH} ${x', 'key.converter': 'Nope', predicates: '' },
  { 'connector.class': 'io.debezium.connector.postgresql.PostgresConnector', 'table.include.list': '[' },
  { 'connector.class': '__proto__', constructor: 'x', toString: 'y' },
  {},
];

export function* hostileRequests(seed: number, count: number, secrets: Secrets): Generator<FuzzRequest> {
  const choose = seeded(seed);
  const { next, below, chance, one } = choose;

  const word = (): string => String.fromCharCode(...Array.from({ length: 1 + below(12) }, () => 33 + below(94)));
  const bytes = (length: number): Buffer => Buffer.from(Array.from({ length }, () => below(256)));
  const name = (): string =>
    chance(0.5)
      ? one(NAMES)
      : chance(0.2)
        ? 'long'.repeat(1 + below(3000))
        : chance(0.5)
          ? word()
          : `fuzz-${below(50)}`;

  function segment(): string {
    const encoded = encodeURIComponent(name());
    if (chance(0.85)) return encoded;
    return one([
      `${encoded};k=v`,
      `${encoded}%`,
      `%${encoded}`,
      '%E2%82',
      '%00',
      '%0A',
      '%2e%2e',
      '%25',
      '%FF',
      encoded + encoded,
      '',
    ]);
  }

  function path(route: string): string {
    let found = route
      .replace('NAME', segment)
      .replace('NUMBER', () => one(['0', '7', '-1', '+0', '99999999999', 'abc', '0x1', '1e3']))
      .replace('PLUGIN', () => one(['FileStreamSink', 'Sink', 'JsonConverter', 'java.lang.String', 'Nope', segment()]));
    if (chance(0.1)) found += '/';
    if (chance(0.05)) found += `/${segment()}`;
    if (chance(0.02)) found = `/${segment()}/${segment()}`;
    if (chance(0.2)) found += `?${one(QUERIES)}${chance(0.3) ? `&${one(QUERIES)}` : ''}`;
    return found;
  }

  function value(depth: number): unknown {
    if (depth > 0 && chance(0.3)) return Array.from({ length: below(4) }, () => value(depth - 1));
    if (depth > 0 && chance(0.4)) {
      return Object.fromEntries(
        Array.from({ length: below(5) }, () => [one(['name', 'config', 'level', word()]), value(depth - 1)]),
      );
    }
    return one([null, true, 1, -0.5, 1e300, '', 'x', word(), '\u0000', '😀']);
  }

  function document(): string {
    const config = chance(0.3) ? hostileConfig(choose, secrets) : one(CONFIGS);
    const parsed = one<unknown>([
      config,
      { name: name(), config },
      { name: name(), config, initial_state: one(['STOPPED', 'bogus', null, 1]) },
      { level: one(['debug', 'INFO', 'nope', '', null, 5, {}]) },
      {
        offsets: one<() => unknown>([
          () => [],
          () => null,
          () => [{}],
          () => [{ partition: { filename: 'x' }, offset: { position: 1 } }],
          () => 'x',
          () => [[]],
          () => [{ partition: { kafka_topic: 'fuzz', kafka_partition: 2 ** 31 }, offset: { kafka_offset: 2 ** 63 } }],
          () => [{ partition: value(20), offset: value(20) }],
          () => Array.from({ length: below(3_000) }, (_, i) => ({ partition: { filename: `${i}` }, offset: null })),
        ])(),
      },
      value(5),
    ]);
    return JSON.stringify(parsed);
  }

  function damaged(text: string): string {
    const at = below(text.length + 1);
    return one([
      text.slice(0, at),
      text.slice(0, at) + word() + text.slice(at),
      text + word(),
      text.replaceAll('"', "'"),
      `${text} ${text}`,
      text.replace(':', ''),
      `/* */${text}`,
      `${' \n\t'.repeat(below(200))}${text}`,
      text.replace('}', ',}'),
      '',
      'null',
      '""',
      '{}',
      '[]',
      'NaN',
      '01',
      '-',
      '"\\u12"',
    ]);
  }

  function deep(): string {
    const depth = one([10, 900, 1001, 5_000, 20_000, 100_000]);
    return chance(0.5)
      ? '['.repeat(depth) + (chance(0.5) ? ']'.repeat(depth) : '')
      : `${'{"a":'.repeat(depth)}1${chance(0.5) ? '}'.repeat(depth) : ''}`;
  }

  /** Up to 2 MB. */
  function big(): string {
    const size = below(2 * 1024 * 1024);
    if (chance(0.3)) return JSON.stringify({ name: 'big', config: { 'connector.class': 'Nope', x: 'y'.repeat(size) } });
    if (chance(0.3)) return `{${'"k":"v",'.repeat(size >> 3)}"k":"v"}`;
    return chance(0.5) ? `[${'1,'.repeat(size >> 1)}1]` : `"${'\\u00e4'.repeat(size / 6)}`;
  }

  /** Numbers and characters that parsers may fail on. */
  function odd(): string {
    const long = 10 ** below(6);
    return one([
      () => `{"name":${'9'.repeat(long)},"config":{"tasks.max":1e${long}}}`,
      () => `{"a":-0.${'0'.repeat(long)}1}`,
      () => `{"name":"\\ud800","config":{"\\udfff":"\\u0000"}}`,
      () => `{"name":"${'\\\\'.repeat(long)}","config":{}}`,
      () => `{"name":"\u0000\u0007","config":{}}`,
      () => `{${'"name":"x",'.repeat(Math.min(long, 5_000))}"config":{}}`,
      () => `${'\ufeff'.repeat(3)}{}`,
      () => `{"__proto__":{"x":1},"constructor":{"prototype":{}},"name":"x","config":{"__proto__":"x"}}`,
    ])();
  }

  function body(): Buffer | null {
    const kind = next();
    if (kind < 0.25) return null;
    if (kind < 0.55) return Buffer.from(document());
    if (kind < 0.85) return Buffer.from(damaged(document()));
    if (kind < 0.9) return bytes(below(300));
    if (kind < 0.94) return Buffer.from(document(), one(['utf16le', 'latin1']));
    if (kind < 0.96) return Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(document())]);
    if (kind < 0.97) return Buffer.from(odd());
    if (kind < 0.975) return Buffer.from(document(), 'utf16le').swap16();
    if (kind < 0.98)
      return Buffer.concat(
        Array.from(document().slice(0, 2_000), (c) => Buffer.from([0, 0, 0, c.charCodeAt(0) & 255])),
      );
    if (kind < 0.985) return gzipSync(document());
    if (kind < 0.995) return Buffer.from(deep());
    return Buffer.from(big());
  }

  /** Valid in form, so that the config is read. */
  function configured(): FuzzRequest {
    const known = `/connectors/fuzz-${below(40)}`;
    const config = chance(0.7) ? hostileConfig(choose, secrets) : one(CONFIGS);
    const plugin = (config as Record<string, unknown>)['connector.class'];
    const of = `/connector-plugins/${encodeURIComponent(String(plugin))}/config/validate`;
    const [method, path, document] = one<readonly [string, string, object]>([
      ['POST', '/connectors', { name: known.slice(12), config }],
      ['PUT', `${known}/config`, config],
      ['PATCH', `${known}/config`, config],
      ['PUT', of, { name: 'fuzz', ...config }],
      ['PUT', of, { name: 'fuzz', ...config }],
    ]);
    const headers = { 'Content-Type': 'application/json' };
    return { method, path, headers, body: Buffer.from(JSON.stringify(document)), manner: 'client' };
  }

  for (let i = 0; i < count; i++) {
    if (chance(0.1)) {
      yield configured();
      continue;
    }
    const [route, ...methods] = one(ROUTES);
    const method = one(chance(0.8) ? methods : METHODS);
    const manner: Manner = chance(0.06) ? one(MANNERS) : 'client';

    const content = method === 'TRACE' ? null : body();
    const headers: Record<string, string> = {};
    if (content !== null && chance(0.9)) headers['Content-Type'] = one(TYPES);
    if (chance(0.2)) headers['Accept'] = one(ACCEPTS);
    if (chance(0.05)) headers['X-Connect-Authorization'] = one(['AAAA', '!!', '']);
    if (chance(0.05)) headers['X-Connect-Request-Signature-Algorithm'] = one(['HmacSHA256', 'Rot13', '']);
    if (chance(0.01)) headers['X-Long'] = 'x'.repeat(below(40_000));
    if (content?.[0] === 0x1f || chance(0.01))
      headers['Content-Encoding'] = one(['gzip', 'br', 'deflate', 'gzip, gzip']);
    if (chance(0.02)) headers['Host'] = one(['', 'a b', '[::1', 'x:y']);
    const spoiled = one([' ', '|', '{}', '"', '\\', '\u00ff', '^', '<>', '\u0001', '/../..', '//']);
    const isSpoiled = manner === 'as-it-is';
    yield {
      method,
      path: isSpoiled ? `${path(route)}${spoiled}${word()}` : path(route),
      headers,
      body: content,
      manner,
    };
  }
}
