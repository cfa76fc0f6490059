/** Settings of ExtractNewRecordState, those of Debezium 1.x among them. Source: cdc-postgres §7.10. */
import type { ConfigKey, ConnectorConfig } from '@millrace/sdk';
import { fieldReference, type FieldReference } from './field-reference';
import { choiceProblem, flagSetting, invalidSetting, listSetting, textSetting } from './setting-values';

/** Java's order, in which messages list them. */
const DELETE_MODES = ['drop', 'tombstone', 'rewrite-with-tombstone', 'rewrite', 'delete-to-tombstone'] as const;
/** What a delete and the tombstone after it become. */
type DeleteMode = (typeof DELETE_MODES)[number];

const key = (name: string, of: Omit<ConfigKey, 'name' | 'importance' | 'order'>): ConfigKey => {
  return { name, importance: 'LOW', order: 1, ...of };
};

export const UNWRAP_CONFIG: readonly ConfigKey[] = [
  {
    ...key('delete.tombstone.handling.mode', {
      type: 'STRING',
      default: 'tombstone',
      width: 'MEDIUM',
      displayName: 'Handle delete and tombstone records',
      documentation:
        'What a delete becomes: nothing (drop), a null value (tombstone, delete-to-tombstone), or the old row with __deleted=true ' +
        '(rewrite, and rewrite-with-tombstone, which alone passes the tombstone after it).',
      validator: (value) => (DELETE_MODES.includes(value as DeleteMode) ? null : choiceProblem(DELETE_MODES)),
      accepts: { values: DELETE_MODES },
    }),
    importance: 'MEDIUM',
  },
  key('route.by.field', {
    type: 'STRING',
    default: '',
    width: 'LONG',
    displayName: 'Route by field name',
    documentation: 'A text column whose value is the topic.',
  }),
  key('add.fields.prefix', {
    type: 'STRING',
    default: '__',
    width: 'SHORT',
    displayName: 'Field prefix to be added to each field.',
    documentation: 'Prefix of added fields.',
  }),
  key('add.fields', {
    type: 'LIST',
    default: [],
    width: 'LONG',
    displayName: 'Adds the specified field(s) to the message if they exist.',
    documentation: 'Fields of the event to add to the row, e.g. op, table, source.ts_ms, lsn:LSN (renamed).',
  }),
  key('add.headers.prefix', {
    type: 'STRING',
    default: '__',
    width: 'SHORT',
    displayName: 'Header prefix to be added to each header.',
    documentation: 'Prefix of added headers.',
  }),
  key('add.headers', {
    type: 'LIST',
    default: [],
    width: 'LONG',
    displayName: 'Adds the specified fields to the header if they exist.',
    documentation: 'Fields of the event to add as headers, written as in add.fields.',
  }),
  key('drop.fields.header.name', {
    type: 'STRING',
    default: null,
    width: 'SHORT',
    displayName: 'Specifies a header that contains a list of field names to be removed',
    documentation: 'Name of a header that lists fields to drop from the row.',
  }),
  key('drop.fields.from.key', {
    type: 'BOOLEAN',
    default: false,
    width: 'SHORT',
    displayName: 'Specifies whether the fields to be dropped should also be omitted from the key',
    documentation: 'Drop these fields from the key as well.',
  }),
  key('drop.fields.keep.schema.compatible', {
    type: 'BOOLEAN',
    default: true,
    width: 'SHORT',
    displayName: "Specifies if fields are dropped, will the event's schemas be compatible",
    documentation: 'Drop only optional fields, so that consumers of the old schema can read the new one.',
  }),
];

export interface UnwrapSettings {
  readonly mode: DeleteMode;
  readonly routeBy: string | null;
  readonly fields: readonly FieldReference[];
  readonly headers: readonly FieldReference[];
  readonly dropHeader: string | null;
  readonly dropFromKey: boolean;
  readonly keepCompatible: boolean;
  readonly replaceNull: boolean;
}

/** Throws ConfigError. */
export function unwrapSettings(config: ConnectorConfig): UnwrapSettings {
  const text = (name: string): string | null => textSetting(config, name);
  const flag = (name: string, fallback: boolean): boolean => flagSetting(config, name, fallback);
  const references = (name: string, prefix: string, more: readonly string[]): FieldReference[] => {
    return [...listSetting(config, name), ...more].map((reference) => fieldReference(reference, prefix));
  };
  const mode = text('delete.tombstone.handling.mode') ?? oldMode(text('drop.tombstones'), text(OLD_MODE));
  if (!DELETE_MODES.includes(mode as DeleteMode)) {
    throw invalidSetting('delete.tombstone.handling.mode', mode, choiceProblem(DELETE_MODES));
  }
  const oldFields = listSetting(config, 'add.source.fields').map((name) => `source.${name}:${name}`);
  return {
    mode: mode as DeleteMode,
    routeBy: text('route.by.field'),
    fields: references('add.fields', config['add.fields.prefix']?.trim() ?? '__', oldFields),
    headers: references(
      'add.headers',
      config['add.headers.prefix']?.trim() ?? '__',
      flag('operation.header', false) ? ['op'] : [],
    ),
    dropHeader: text('drop.fields.header.name'),
    dropFromKey: flag('drop.fields.from.key', false),
    keepCompatible: flag('drop.fields.keep.schema.compatible', true),
    replaceNull: flag('replace.null.with.default', true),
  };
}

const OLD_MODE = 'delete.handling.mode';

/**
 * `drop.tombstones` and `delete.handling.mode` of Debezium up to 2.4, whose defaults hold once one of them is given.
 */
function oldMode(tombstones: string | null, deletes: string | null): string {
  if (tombstones === null && deletes === null) return 'tombstone';
  const dropTombstones = tombstones?.toLowerCase() !== 'false';
  switch (deletes ?? 'drop') {
    case 'drop':
      // Without the tombstone, a delete disappears; with it, only the tombstone remains.
      return dropTombstones ? 'drop' : 'delete-to-tombstone';
    case 'rewrite':
      return dropTombstones ? 'rewrite' : 'rewrite-with-tombstone';
    case 'none':
      return 'tombstone';
    default:
      throw invalidSetting(OLD_MODE, deletes, choiceProblem(['drop', 'rewrite', 'none']));
  }
}
