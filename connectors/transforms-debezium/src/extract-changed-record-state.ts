/**
 * `io.debezium.transforms.ExtractChangedRecordState`: lists the changed and the unchanged columns of an update in
 * headers. Source: cdc-postgres §7.13.
 */
import { isDeepStrictEqual } from 'node:util';
import {
  arraySchema,
  readMember,
  schema as makeSchema,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Header,
  type Schema,
  type Transformation,
  type TransformationPlugin,
} from '@millrace/sdk';
import { textSetting } from './setting-values';
import { isEnvelope, requireStruct, schemaOf, type StructValue } from './structs';

const CHANGED = 'header.changed.name';
const UNCHANGED = 'header.unchanged.name';

const CHANGED_CONFIG: readonly ConfigKey[] = [
  key(CHANGED, 'Header change name.', 'Header that lists the columns an update has changed. Default: none.'),
  key(UNCHANGED, 'Header unchanged name.', 'Header that lists the columns an update has not changed. Default: none.'),
];

function key(name: string, displayName: string, documentation: string): ConfigKey {
  return {
    name,
    type: 'STRING',
    default: null,
    importance: 'LOW',
    order: 1,
    width: 'LONG',
    displayName,
    documentation,
  };
}

class ExtractChangedRecordState implements Transformation {
  private changed: Schema | null = null;
  private unchanged: Schema | null = null;

  configure(config: ConnectorConfig): void {
    this.changed = listSchema(textSetting(config, CHANGED));
    this.unchanged = listSchema(textSetting(config, UNCHANGED));
  }

  apply<R extends ConnectRecord>(record: R): R {
    if (!isEnvelope(record) || (this.changed ?? this.unchanged) === null) return record;
    const { valueSchema, value } = record;
    const event = requireStruct(valueSchema, value, 'Record value should be struct.');
    const columns = schemaOf(valueSchema as Schema, 'after')?.fields ?? [];
    const [before, after] = [event.before ?? null, event.after ?? null] as (StructValue | null)[];
    const changed: string[] = [];
    const unchanged: string[] = [];
    if (before && after) {
      for (const { name } of columns) {
        const same = isDeepStrictEqual(readMember(after, name) ?? null, readMember(before, name) ?? null);
        (same ? unchanged : changed).push(name);
      }
    }
    // Without an update the lists are empty, so that consumers always find them.
    const headers: Header[] = [...(record.headers ?? [])];
    if (this.changed) headers.push({ key: this.changed.name as string, schema: this.changed, value: changed });
    if (this.unchanged) headers.push({ key: this.unchanged.name as string, schema: this.unchanged, value: unchanged });
    return { ...record, headers };
  }
}

function listSchema(name: string | null): Schema | null {
  return name === null ? null : arraySchema(makeSchema('STRING', { optional: true }), { optional: true, name });
}

export const extractChangedRecordState: TransformationPlugin = {
  type: 'transformation',
  config: CHANGED_CONFIG,
  create: () => new ExtractChangedRecordState(),
};
