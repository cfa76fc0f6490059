/** `ValueToKey`: replaces the key with fields of the value. Source: connect-runtime §7.2. */
import {
  setMember,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Field,
  type Schema,
  type Transformation,
} from '@millrace/sdk';
import { dataError } from './failures';
import { namesKey, REPLACE_NULL, Settings } from './settings';
import { copiedValue, memberOf, requireMap, requireStruct } from './shapes';
import { KEY } from './side';
import { fieldsOf, perSchema, structOf } from './struct-schemas';

export const VALUE_TO_KEY_CONFIG: readonly ConfigKey[] = [
  namesKey({
    name: 'fields',
    importance: 'HIGH',
    documentation: 'Fields of the value that make up the key, in this order.',
  }),
  REPLACE_NULL,
];

const PURPOSE = 'copying fields from value to key';

export class ValueToKey implements Transformation {
  private names: readonly string[] = [];
  private replaceNull = true;

  configure(config: ConnectorConfig): void {
    const settings = new Settings(VALUE_TO_KEY_CONFIG, config);
    this.names = settings.list('fields');
    this.replaceNull = settings.flag('replace.null.with.default');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const key: Record<string, unknown> = {};
    if (record.valueSchema === null) {
      const map = requireMap(record.value, PURPOSE);
      for (const name of this.names) setMember(key, name, memberOf(map, name));
      return KEY.replaced(record, null, key);
    }
    const struct = requireStruct(record.valueSchema, record.value, PURPOSE);
    const { fields, schema } = this.plan(record.valueSchema);
    for (const field of fields) setMember(key, field.name, copiedValue(struct, field, this.replaceNull));
    return KEY.replaced(record, schema, key);
  }

  private readonly plan = perSchema((schema: Schema) => {
    const fields = this.names.map((name): Field => {
      const field = fieldsOf(schema).find((one) => one.name === name);
      if (!field) throw dataError(`Field does not exist: ${name}`);
      return field;
    });
    return { fields, schema: structOf(fields.map((field) => [field.name, field.schema])) };
  });
}
