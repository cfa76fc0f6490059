/** `MaskField`: replaces a field's value with an empty or given one. Source: connect-runtime §7.2. */
import {
  setMember,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type ParsedValue,
  type Schema,
  type Transformation,
} from '@millrace/sdk';
import { emptyLike, replacementFor } from './mask-value';
import { namesKey, REPLACE_NULL, Settings } from './settings';
import { copiedValue, isNull, memberOf, requireMap, requireStruct, withMember } from './shapes';
import type { Side } from './side';
import { fieldsOf } from './struct-schemas';

export const MASK_FIELD_CONFIG: readonly ConfigKey[] = [
  namesKey({ name: 'fields', importance: 'HIGH', documentation: 'Fields to mask.' }),
  {
    name: 'replacement',
    type: 'STRING',
    default: null,
    importance: 'LOW',
    documentation: 'What numbers and strings are replaced by. Without it: 0, false, an empty text and so on.',
    validator: (value: ParsedValue) => (value === '' ? 'String must be non-empty' : null),
  },
  REPLACE_NULL,
];

const PURPOSE = 'mask fields';

export class MaskField implements Transformation {
  private names: ReadonlySet<string> = new Set();
  private replacement: string | null = null;
  private replaceNull = true;

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    const settings = new Settings(MASK_FIELD_CONFIG, config);
    this.names = new Set(settings.list('fields'));
    this.replacement = settings.optionalText('replacement');
    this.replaceNull = settings.flag('replace.null.with.default');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const schema = this.side.schemaOf(record);
    const value = this.side.valueOf(record);
    return this.side.replaced(record, schema, schema ? this.maskStruct(schema, value) : this.maskMap(value));
  }

  private maskMap(value: unknown): unknown {
    let map = requireMap(value, PURPOSE);
    for (const name of this.names) map = withMember(map, name, this.masked(null, memberOf(map, name)));
    return map;
  }

  private maskStruct(schema: Schema, value: unknown): unknown {
    const struct = requireStruct(schema, value, PURPOSE);
    const updated: Record<string, unknown> = {};
    for (const field of fieldsOf(schema)) {
      const member = copiedValue(struct, field, this.replaceNull);
      setMember(updated, field.name, this.names.has(field.name) ? this.masked(field.schema, member) : member);
    }
    return updated;
  }

  private masked(schema: Schema | null, value: unknown): unknown {
    if (isNull(value)) return null;
    return this.replacement === null ? emptyLike(schema, value) : replacementFor(schema, value, this.replacement);
  }
}
