import { mbeanSeries, parseObjectName } from '../../../packages/java-host/src/jvm/mbean-series';
import { usageOf } from '../../../packages/java-host/src/jvm/process-usage';
import { ByteReader } from '../../../packages/java-host/src/wire/byte-reader';
import { ByteWriter } from '../../../packages/java-host/src/wire/byte-writer';
import { readValue, writeValue } from '../../../packages/java-host/src/wire/values';

/** As it is read from the host. */
function bean(name: string, attributes: object): never {
  const writer = new ByteWriter();
  writeValue(writer, { name, attributes } as never);
  return readValue(new ByteReader(writer.take())) as never;
}

test('Debezium’s MBeans have the names of the usual rule of the JMX exporter', () => {
  expect(
    mbeanSeries([
      bean('debezium.postgres:type=connector-metrics,context=streaming,server=s-1', {
        MilliSecondsBehindSource: -1,
        Connected: true,
      }),
      bean('debezium.sql_server:type=connector-metrics,server=s,task=0,context=snapshot,database=d', {
        TotalTableCount: 2,
      }),
    ]),
  ).toEqual([
    {
      name: 'debezium_metrics_MilliSecondsBehindSource',
      help: 'Attribute MilliSecondsBehindSource of MBeans of debezium.postgres.',
      labels: { plugin: 'postgres', context: 'streaming', name: 's-1' },
      value: -1,
    },
    expect.objectContaining({ name: 'debezium_metrics_Connected', value: 1 }),
    expect.objectContaining({
      labels: { plugin: 'sql_server', name: 's', task: '0', context: 'snapshot', database: 'd' },
    }),
  ]);
});

test('others have those that it gives without rules', () => {
  expect(
    mbeanSeries([
      bean('kafka.connect.mirror:type=MirrorSourceConnector,target=b,topic="a,\\"b\\"",partition=0', {
        'record-age-ms': 1.5,
        'byte-rate': NaN,
      }),
      bean('kafka.connect:type=plugins,connector=c', { 'a--b c': 2n }),
    ]),
  ).toEqual([
    expect.objectContaining({
      name: 'kafka_connect_mirror_MirrorSourceConnector_record_age_ms',
      labels: { target: 'b', topic: 'a,"b"', partition: '0' },
      value: 1.5,
    }),
    expect.objectContaining({ name: 'kafka_connect_plugins_a_b_c', labels: { connector: 'c' }, value: 2 }),
  ]);
});

test('members of composite data are part of the name, and indexes of tables and keys of maps are labels', () => {
  const rows = [
    [{ key: 'shop.orders' }, { value: 3 }],
    [{ key: 'shop."x"' }, { value: 4n }],
  ];
  const usage = { used: 2, committed: 3 };
  const found = mbeanSeries([
    bean('debezium.postgres:type=connector-metrics,context=snapshot,server=s', { RowsScanned: rows }),
    bean('d:type=t,key=k', {
      Heap: usage,
      Pools: [
        [
          { key: 'old', id: '1' },
          { Value: usage, since: true },
        ],
      ],
    }),
  ]);
  expect(found.map(({ name, labels, value }) => [name, labels, value])).toEqual([
    ['debezium_metrics_RowsScanned', { plugin: 'postgres', context: 'snapshot', name: 's', table: 'shop.orders' }, 3],
    ['debezium_metrics_RowsScanned', { plugin: 'postgres', context: 'snapshot', name: 's', table: 'shop."x"' }, 4],
    ['d_t_Heap_used', { key: 'k' }, 2],
    ['d_t_Heap_committed', { key: 'k' }, 3],
    ['d_t_Pools_used', { key: 'k', key_: 'old', id: '1' }, 2],
    ['d_t_Pools_committed', { key: 'k', key_: 'old', id: '1' }, 3],
    ['d_t_Pools_since', { key: 'k', key_: 'old', id: '1' }, 1],
  ]);
  expect(found[0]?.help).toBe('Attribute RowsScanned of MBeans of debezium.postgres.');
});

test('what a hostile JVM answers is left out or harmless', () => {
  for (const answer of [null, 1, 'x', {}, [null, 1, 'x', {}, bean('no name', { a: 1 }), bean('d:a', { a: 1 })]])
    expect(mbeanSeries(answer as never)).toEqual([]);
  const [proto] = mbeanSeries([bean('d:__proto__=x,type=t,constructor=y,1=z,__proto__=w', { 'a"} 1\n': 1 })]);
  expect(proto).toMatchObject({ name: 'd_x_a_1_', labels: { type: 't', constructor: 'y', _1: 'z', _proto_: 'w' } });
  const [row] = mbeanSeries([bean('d:type=t', { a: [1, [], [1, { value: 1 }], [{ k: 2, __x: 'y' }, { b: 1 }]] })]);
  expect(row).toMatchObject({ name: 'd_t_a_b', labels: { _x: 'y' } });
  let deep: unknown = 1;
  for (let i = 0; i < 40; i++) deep = i % 2 === 0 ? { m: deep } : [[{ k: 'x' }, { m: deep }]];
  expect(mbeanSeries([bean('d:type=t', { deep, bytes: Buffer.from('a'), date: new Date(0) })])).toEqual([]);
  const rows = Array.from({ length: 10_000 }, (_, i) => [{ key: String(i) }, { value: i }]);
  expect(mbeanSeries([bean('d:type=t', { rows })])).toHaveLength(5_000);
  const many = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`a${i}`, i]));
  expect(mbeanSeries([bean('d:type=t', many)])).toHaveLength(5_000);
});

test('names of MBeans', () => {
  expect(parseObjectName('d:a=b,c="d\\n\\"e"')).toEqual({
    domain: 'd',
    properties: [
      ['a', 'b'],
      ['c', 'd\n"e'],
    ],
  });
  for (const name of ['', 'd', 'd:a', 'd:a="b', 'd:=b']) expect(parseObjectName(name)).toBe(null);
});

test('what a process uses, whatever its name is', () => {
  const after = Array.from({ length: 50 }, (_, i) => i + 3);
  expect(usageOf(`12 (a) (b c) ${['S', ...after.slice(1)].join(' ')}`)).toEqual({
    cpuSeconds: (14 + 15) / 100,
    residentBytes: 24 * 4096,
  });
});
