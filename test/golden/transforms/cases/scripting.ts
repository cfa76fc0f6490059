/** Conditions and topics by expressions that mean the same in Groovy and in CEL, for Debezium's Filter and router. */
import type { RecordNotation } from '../notation';
import { create, heartbeat, read, remove, schemaless, tombstone, typedTombstone, update } from './change-events';
import { on, type Case } from './inputs';

const GROOVY = { language: 'jsr223.groovy' };
const MODES = ['keep', 'drop', 'EVALUATE'];
const EVENTS = [create, update, read, remove, tombstone, typedTombstone];
const traced: RecordNotation = {
  ...create,
  headers: [
    ['trace', 'STRING', 'a'],
    ['trace', 'STRING', 'b'],
    ['n', 'INT32', 5],
  ],
};

const filtered = (configs: readonly Case['config'][], records: readonly RecordNotation[]): Case[] =>
  on(
    'io.debezium.transforms.Filter',
    configs.map((config) => ({ ...GROOVY, ...config })),
    [...records],
  );
const routed = (configs: readonly Case['config'][], records: readonly RecordNotation[]): Case[] =>
  on(
    'io.debezium.transforms.ContentBasedRouter',
    configs.map((config) => ({ ...GROOVY, ...config })),
    [...records],
  );
const conditions = (...texts: string[]): Case['config'][] => texts.map((condition) => ({ condition }));
const topics = (...texts: string[]): Case['config'][] => texts.map((text) => ({ 'topic.expression': text }));

export const scripting: Case[] = [
  ...filtered(
    conditions(
      'true',
      'false',
      "value.op == 'c'",
      "value.op != 'c' && value.op != 'd'",
      "value.op == 'c' && value.after.id == 1 || value.op == 'd' && value.before.id == 1",
      "value.op == 'd' || value.after.v == null",
      "value.op == 'd' || value.after.n > 5",
      "value.op == 'd' || !(value.after.n >= 7)",
      'value.ts_ns == 9007199254740993',
      'value.ts_ns - 1 == 9007199254740992',
      "value.source.table == 'tx1'",
      'value.transaction == null',
      'key.id == 1',
      "topic.startsWith('shop.') && topic.endsWith('tx1') && topic.contains('public')",
      "topic.length() > 5 && valueSchema.name() == 'shop.public.tx1.Envelope'",
      "value.op in ['c', 'r']",
      // No Boolean, an error, and a field that the struct lacks.
      'null',
      "'true'",
      '1',
      'value.after.id',
      'value.nothing == 1',
      'value.op.nothing == 1',
      'nothing == 1',
    ),
    [...EVENTS, schemaless, heartbeat],
  ),
  ...filtered(
    ['value == null', 'key.id == 1', "value.op == 'c'"].flatMap((condition) =>
      MODES.map((mode) => ({ condition, 'null.handling.mode': mode })),
    ),
    [create, tombstone, typedTombstone],
  ),
  ...filtered(
    ['.*tx1', 'tx1', 'shop\\.public\\.tx1', 'SHOP.*', ''].map((regex) => ({ condition: 'false', 'topic.regex': regex })),
    [create, tombstone],
  ),
  ...filtered(conditions("header.trace.value == 'b'", 'header.n.value == 5', 'header.n.value > 5'), [traced, create]),
  ...routed(
    topics(
      "value.op == 'u' ? 'updates' : null",
      "value.after == null ? 'gone' : topic + '.' + value.op",
      "'all'",
      'null',
      '5',
      'true',
      'value.nothing',
    ),
    [...EVENTS, traced],
  ),
  ...routed(
    MODES.map((mode) => ({ 'topic.expression': "value == null ? 'gone' : 'here'", 'null.handling.mode': mode })),
    [create, tombstone, typedTombstone],
  ),
  ...routed([{ 'topic.expression': "'all'", 'topic.regex': 'x' }], [create]),
];
