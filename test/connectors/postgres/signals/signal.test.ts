/** Signals as text: cdc-postgres §4.9. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { PluginManifest } from '@millrace/sdk';
import { parseSignal, SIGNAL_TYPES, signalOf } from '../../../../connectors/postgres/src/signals/signal';
import { conditionFor, snapshotRequest } from '../../../../connectors/postgres/src/signals/snapshot-request';

test('cdc-postgres §4.9: data as an object, as text, and absent', () => {
  expect(parseSignal('{"id":"1","type":"log","data":{"message":"hi"}}', 'kafka')).toEqual({
    ...{ id: '1', type: 'log', data: { message: 'hi' }, channel: 'kafka' },
  });
  expect(signalOf('1', 'log', '{"message":"hi"}', 'source').data).toEqual({ message: 'hi' });
  expect(signalOf('1', 'pause-snapshot', null, 'source').data).toEqual({});
  expect(signalOf('1', 'pause-snapshot', '', 'source').data).toEqual({});
});

test.each([
  ['{', 'is not valid JSON'],
  ['[]', 'is not a JSON object'],
  ['{"type":"log"}', 'has no id'],
  ['{"id":"1"}', 'has no type'],
  ['{"id":"1","type":"t","data":[1]}', 'has data that is not a JSON object'],
  [`{"id":"${'1'.repeat(300)}","type":"t"}`, 'has an id of more than 256 characters'],
  [`{"id":"1","type":"t","data":${'{"a":'.repeat(40)}1${'}'.repeat(40)}}`, 'is nested more than 32 levels deep'],
  [`{"id":"1","type":"t","data":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 'is nested more than 32 levels deep'],
  [`{"id":"${'1'.repeat(300_000)}"}`, 'is longer than 262144 characters'],
])('hostile or malformed: %#', (text, problem) => {
  expect(() => parseSignal(text, 'file')).toThrow(problem);
});

test('cdc-postgres §4.9: execute-snapshot', () => {
  const request = snapshotRequest({
    'data-collections': ['public.t', '.*'],
    'additional-conditions': [{ 'data-collection': 'public.t', filter: 'id > 10' }],
    'surrogate-key': 'c',
  });
  expect(request).toEqual({
    kind: 'incremental',
    collections: ['public.t', '.*'],
    conditions: [{ collection: 'public.t', filter: 'id > 10' }],
    surrogateKey: 'c',
  });
  expect([conditionFor(request, 'PUBLIC.T'), conditionFor(request, 'public.tt')]).toEqual(['id > 10', null]);
  const old = snapshotRequest({ 'data-collections': ['t'], 'additional-condition': 'a = 1', type: 'BLOCKING' });
  expect([old.kind, conditionFor(old, 'any')]).toEqual(['blocking', 'a = 1']);
});

test.each([
  [{ type: 'other' }, 'unknown type "other"'],
  [{ 'data-collections': 'public.t' }, 'that are not a list'],
  [{ 'data-collections': [1] }, 'that is not a text'],
  [{ 'data-collections': ['('] }, 'invalid pattern'],
  [{ 'data-collections': ['a'.repeat(2000)] }, 'more than 1000 characters'],
  [{ 'additional-conditions': ['x'] }, 'not JSON objects'],
  [{ 'surrogate-key': 1 }, 'not a text'],
])('a request that cannot be read: %#', (data, problem) => {
  expect(() => snapshotRequest(data)).toThrow(problem);
});

test('the manifest declares the types that are applied', () => {
  const file = join(__dirname, '../../../../connectors/postgres/package.json');
  const { millrace } = JSON.parse(readFileSync(file, 'utf8')) as { millrace: PluginManifest };
  expect(millrace.plugins[0]?.signals?.map(({ type }) => type)).toEqual(SIGNAL_TYPES);
});
