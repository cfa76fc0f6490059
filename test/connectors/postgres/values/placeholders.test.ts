/**
 * Placeholders of values that the server did not send must fit the schema, or the task fails permanently. Source:
 * cdc-postgres §2.10, §3.6.
 */
import { checkValue, optional } from '@millrace/sdk';
import { TypeResolver } from '../../../../connectors/postgres/src/values/resolve-type';
import type {
  BinaryMode,
  DecimalMode,
  PgType,
  TimeMode,
  ValueOptions,
  ValueType,
} from '../../../../connectors/postgres/src/values/value-type';

const NAMES =
  'bool int2 int4 int8 oid float4 float8 numeric money char bpchar varchar text name citext ean13 isbn bit varbit bytea date time timetz timestamp timestamptz interval uuid json jsonb xml ltree tsvector inet cidr macaddr int4range tstzrange hstore point int2vector oidvector mood';
const TIMES: readonly TimeMode[] = [
  'adaptive',
  'adaptive_time_microseconds',
  'connect',
  'isostring',
  'microseconds',
  'nanoseconds',
];
const BINARIES: readonly BinaryMode[] = ['bytes', 'base64', 'base64-url-safe', 'hex'];
const DECIMALS: readonly DecimalMode[] = ['precise', 'double', 'string'];
const HSTORES = ['json', 'map'] as const;
const OPTIONS: ValueOptions = {
  decimals: 'precise',
  moneyFractionDigits: 2,
  currencyDigits: 2,
  time: 'adaptive',
  interval: 'numeric',
  hstore: 'json',
  binary: 'bytes',
  includeUnknown: false,
  placeholder: Buffer.from('__debezium_unavailable_value'),
};

/** Each type, and its array under the name with `[]`. */
const TYPES = new Map<string, PgType>(
  NAMES.split(' ').flatMap((name, i) => {
    const kind = name === 'mood' ? 'e' : 'b';
    const base = { oid: 2 * i, schema: 'public', name, kind, isArray: false, of: 0, typmod: -1, labels: ['sad'] };
    const array = { ...base, oid: base.oid + 1, name: `_${name}`, kind: 'b', isArray: true, of: base.oid };
    return [
      [name, base],
      [`${name}[]`, array],
    ] as const;
  }),
);

function resolve(name: string, options: Partial<ValueOptions>, typmod = -1): ValueType | null {
  const types = new Map([...TYPES.values()].map((type) => [type.oid, type]));
  const resolver = new TypeResolver(types, { ...OPTIONS, ...options }, { unlisted: null, accepted: new Map() });
  return resolver.resolve((TYPES.get(name) as PgType).oid, typmod);
}

test('the placeholder of an unsent value fits the schema, for every type in every mode', () => {
  const misfits: string[] = [];
  let checked = 0;
  for (const name of TYPES.keys())
    for (const typmod of [-1, 1, 3, (10 << 16) | (2 + 4)])
      for (const time of TIMES)
        for (const binary of BINARIES)
          for (const decimals of DECIMALS)
            for (const hstore of HSTORES)
              for (const interval of ['numeric', 'string'] as const) {
                const type = resolve(name, { time, binary, decimals, hstore, interval }, typmod);
                if (type === null) continue;
                checked++;
                const problem =
                  checkValue(optional(type.schema), type.unavailable) ?? checkValue(type.schema, type.fallback);
                if (problem !== null)
                  misfits.push(`${name}(${typmod}) ${[time, binary, decimals, hstore, interval].join()}`);
              }
  expect(checked).toBeGreaterThan(50_000);
  expect([...new Set(misfits)]).toEqual([]);
});

const TEXT = OPTIONS.placeholder.toString();
const NUMBERS = [...OPTIONS.placeholder];
const BASE64 = OPTIONS.placeholder.toString('base64');

test.each<[type: string, options: Partial<ValueOptions>, expected: unknown]>([
  ['text', {}, TEXT],
  ['bpchar', {}, TEXT],
  ['jsonb', {}, TEXT],
  ['xml', {}, TEXT],
  ['text[]', {}, [TEXT]],
  ['varchar[]', {}, [TEXT]],
  ['json[]', {}, [TEXT]],
  ['uuid[]', {}, ['b68a35a7-17ad-35b3-af2a-ae46edb4545a']],
  ['int4[]', {}, NUMBERS],
  ['int8[]', {}, NUMBERS],
  ['int4[]', { placeholder: Buffer.of(0x61, 0xff) }, [97, -1]],
  ...TIMES.map((time): [string, Partial<ValueOptions>, unknown] => [
    'date[]',
    { time },
    time === 'connect' || time === 'isostring' ? null : NUMBERS,
  ]),
  ...TIMES.map((time): [string, Partial<ValueOptions>, unknown] => ['timestamp[]', { time }, null]),
  ['numeric', {}, null],
  ['numeric[]', {}, null],
  ['float8[]', {}, null],
  ['tsvector', {}, TEXT],
  ['bytea', {}, OPTIONS.placeholder],
  ['bytea', { binary: 'base64' }, BASE64],
  ['bytea', { binary: 'hex' }, TEXT],
  ['bytea[]', {}, [OPTIONS.placeholder]],
  ['bytea[]', { binary: 'base64' }, [BASE64]],
  ['bytea[]', { binary: 'hex' }, [TEXT]],
  ['hstore', {}, `{"${TEXT}":"${TEXT}"}`],
  ['hstore', { hstore: 'map' }, new Map([[TEXT, TEXT]])],
  ['mood[]', {}, null],
])('cdc-postgres 41: unchanged TOAST value of %s, %p', (name, options, expected) => {
  expect(resolve(name, options)?.unavailable).toEqual(expected);
});
