/** Transformations that take raw rows give them the result that plain values get. */
import { isRawRow, plainRecord, RawRow, type ConnectorConfig, type SourceRecord } from '@millrace/sdk';
import { extractNewRecordState } from '../../../connectors/transforms-debezium/src';
import { builtInPredicates } from '../../../src/transforms/predicates';
import { builtInTransformations } from '../../../src/transforms';
import { TransformationChain, type ChainStep } from '../../../src/transforms/chain';
import { encodedCells, rawRecord, rawShape, rowGenerator } from '../../helpers/raw-rows';

const ROWS = 500;

const plugins = new Map([
  ...builtInTransformations.map(({ className, plugin }) => [className.replace(/^.*\./, ''), plugin] as const),
  ['ExtractNewRecordState', extractNewRecordState] as const,
]);

type Setting = ConnectorConfig & { readonly type: string; readonly predicate?: string };

function chain(settings: readonly Setting[]): TransformationChain {
  return new TransformationChain(
    settings.map(({ type, predicate, ...config }): ChainStep => {
      const transformation = plugins.get(type)?.create();
      if (transformation === undefined) throw new Error(`there is no ${type}`);
      transformation.configure(config);
      const found = builtInPredicates.find(({ className }) => className.endsWith(`.${predicate ?? ''}`));
      const test = found?.plugin.create() ?? null;
      test?.configure({ pattern: 't', name: 'h' });
      return { transformation, className: type, predicate: test, negate: false };
    }),
  );
}

const UNWRAP: Setting = { type: 'ExtractNewRecordState' };
const ROUTE: Setting = { type: 'RegexRouter', regex: '(.*)', replacement: 'x-$1' };

describe.each<[string, boolean, readonly Setting[]]>([
  ['unwraps', true, [UNWRAP]],
  ['unwraps and adds fields', true, [{ ...UNWRAP, 'add.fields': 'op,source.lsn,source.txId,source.sequence,before' }]],
  ['unwraps and adds headers', true, [{ ...UNWRAP, 'add.headers': 'op,source.ts_ms,source.origin,source.version' }]],
  ['marks deletions', false, [{ ...UNWRAP, 'delete.handling.mode': 'rewrite', 'add.fields': 'op' }]],
  ['routes by a field', false, [{ ...UNWRAP, 'route.by.field': 'name "quoted"' }]],
  [
    'routes, and adds and drops headers',
    true,
    [ROUTE, { type: 'InsertHeader', header: 'h', 'value.literal': '1' }, { type: 'DropHeaders', headers: 'other' }],
  ],
  [
    'copies fields to headers',
    true,
    [UNWRAP, { type: 'HeaderFrom$Value', fields: 'id,note', headers: 'a,b', operation: 'copy' }],
  ],
  ['copies the key to headers', true, [{ type: 'HeaderFrom$Key', fields: 'id', headers: 'a', operation: 'copy' }]],
  [
    'moves fields to headers',
    false,
    [UNWRAP, { type: 'HeaderFrom$Value', fields: 'id', headers: 'a', operation: 'move' }],
  ],
  ['hides a field', false, [UNWRAP, ROUTE, { type: 'ReplaceField$Value', exclude: 'note' }, ROUTE]],
  ['replaces the key', false, [UNWRAP, { type: 'ValueToKey', fields: 'small' }]],
  ['asks for the topic', true, [{ ...ROUTE, predicate: 'TopicNameMatches' }]],
  ['asks for a header', true, [{ ...ROUTE, predicate: 'HasHeaderKey' }]],
  ['drops tombstones', true, [{ type: 'Filter', predicate: 'RecordIsTombstone' }]],
])('a chain that %s', (_, staysRaw, settings) => {
  test(`has the result of plain values for ${ROWS} rows, and ${staysRaw ? 'decodes none' : 'needs plain values'}`, () => {
    const make = rowGenerator(11);
    const [raw, plain] = [chain(settings), chain(settings)];
    let rawResults = 0;
    for (let i = 0; i < ROWS; i++) {
      const row = new RawRow(rawShape, encodedCells(make.row()), 6, make.shared(), i, make.decoded());
      const record: SourceRecord = { ...rawRecord(row), headers: [{ key: 'first', schema: null, value: i }] };
      const result = raw.apply(record);
      if (isRawRow(result?.value)) rawResults++;
      expect(result && plainRecord(result as SourceRecord)).toEqual(plain.apply(plainRecord(record)));
    }
    expect(rawResults).toBe(staysRaw ? ROWS : 0);
  });
});
