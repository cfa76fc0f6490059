/** Signals, and what happens while chunks are open, for a comparison of both engines. */
import type { SignalScenario, SignalStep } from './signal-run';

const table = (name: string, rows: number): string =>
  `CREATE TABLE ${name} (id int PRIMARY KEY, v int); INSERT INTO ${name} SELECT i, i FROM generate_series(1, ${rows}) i;`;

function snapshot(id: string, tables: readonly string[], until = 'COMPLETED', more: object = {}): SignalStep {
  const data = { type: 'incremental', 'data-collections': tables.map((name) => `public.${name}`), ...more };
  return { id, type: 'execute-snapshot', data, until };
}

const signal = (id: string, type: string, data: object = {}): string =>
  `INSERT INTO signals VALUES ('${id}', '${type}', '${JSON.stringify(data)}')`;

const filter = (name: string, sql: string): object => ({
  'additional-conditions': [{ 'data-collection': `public.${name}`, filter: sql }],
});

export const SCENARIOS: readonly SignalScenario[] = [
  {
    name: 'tables of all kinds, one after the other',
    sql: `${table('a', 25)} ${table('b', 0)} ${table('c', 3)} CREATE TABLE keyless (v int); INSERT INTO keyless VALUES (1);
      CREATE TABLE pair (a int, b text, v int, PRIMARY KEY (a, b)); INSERT INTO pair SELECT i / 5, 'x' || i, i FROM generate_series(1, 15) i`,
    signals: [
      snapshot('many', ['a', 'b', 'absent', 'keyless', 'c', 'pair']),
      snapshot('absent', ['absent']),
      snapshot('empty', ['b']),
      snapshot('keyless', ['keyless']),
      snapshot('some', ['a'], 'COMPLETED', filter('a', 'id > 15')),
      snapshot('none', ['a'], 'COMPLETED', filter('a', 'id > 100')),
    ],
  },
  {
    name: 'stops, pauses and further tables while a chunk is open',
    sql: ['a', 'b', 'c'].map((name) => table(name, name === 'a' ? 25 : 5)).join(' '),
    hooks: [
      // Windows 1 to 3: two chunks of the table are read, and none of the others.
      { n: 2, sql: signal('stop 1', 'stop-snapshot', { type: 'incremental' }) },
      // 3 to 5.
      { n: 4, sql: signal('stop 2', 'stop-snapshot', { 'data-collections': ['public.a'] }) },
      // 6 to 9: a table that is not read, one that waits, one that is not in the snapshot.
      { n: 7, sql: signal('stop 3', 'stop-snapshot', { 'data-collections': ['public.b'] }) },
      { n: 8, sql: signal('stop 4', 'stop-snapshot', { 'data-collections': ['public.none'] }) },
      { n: 12, sql: signal('pause', 'pause-snapshot') },
      { n: 13, sql: signal('further', 'execute-snapshot', { 'data-collections': ['public.c', 'public.a'] }) },
    ],
    signals: [
      snapshot('one', ['a', 'b', 'c'], 'ABORTED'),
      snapshot('two', ['a', 'b']),
      snapshot('three', ['a', 'b']),
      snapshot('four', ['a'], 'PAUSED'),
      { id: 'resume', type: 'resume-snapshot', data: {}, until: 'COMPLETED' },
    ],
  },
  {
    name: 'blocking snapshots',
    sql: `${table('c', 3)} ${table('d', 0)}`,
    signals: [
      snapshot('blocking', ['c', 'd'], 'COMPLETED', { type: 'blocking' }),
      snapshot('nothing', ['absent'], 'COMPLETED', { type: 'blocking' }),
      snapshot('failing', ['c'], 'ABORTED', { type: 'blocking', ...filter('c', 'SELECT nothing') }),
    ],
  },
  {
    name: 'changes while a chunk is open, with insert_delete',
    sql: table('a', 25),
    settings: { 'incremental.snapshot.watermarking.strategy': 'insert_delete' },
    hooks: [
      {
        n: 1,
        sql: 'UPDATE a SET v = 100 WHERE id = 3; DELETE FROM a WHERE id = 4; INSERT INTO a VALUES (0, 0); UPDATE a SET v = 101 WHERE id = 15',
      },
      { n: 2, sql: 'UPDATE a SET id = 200 WHERE id = 14; UPDATE a SET id = 201 WHERE id = 5' },
      { n: 3, sql: 'UPDATE a SET v = 102 WHERE id = 1; DELETE FROM a WHERE id = 25' },
    ],
    signals: [snapshot('one', ['a'])],
  },
];
