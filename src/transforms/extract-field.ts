/** `ExtractField`: replaces the key or value with one of its fields. Source: connect-runtime §7.2. */
import type { ConfigKey, ConnectorConfig, ConnectRecord, Field, Transformation } from '@millrace/sdk';
import { ShapeError } from './failures';
import { FieldPath, valueAt, type FieldSyntax } from './field-path';
import { REPLACE_NULL, Settings } from './settings';
import { isNull, requireMap, requireStruct } from './shapes';
import type { Side } from './side';
import { perSchema } from './struct-schemas';

const SYNTAXES = ['V1', 'V2'];

export const EXTRACT_FIELD_CONFIG: readonly ConfigKey[] = [
  { name: 'field', type: 'STRING', importance: 'MEDIUM', documentation: 'The field, or the path to it.' },
  REPLACE_NULL,
  {
    name: 'field.syntax.version',
    type: 'STRING',
    default: 'V1',
    importance: 'HIGH',
    documentation:
      'V1 takes field for the name of a top-level field. V2 takes it for a path: a dot leads into a nested struct or map, and a name that ' +
      'has dots itself is put between backticks.',
    validator: (value) =>
      typeof value === 'string' && SYNTAXES.includes(value.toUpperCase())
        ? null
        : `String must be one of (case insensitive): ${SYNTAXES.join(', ')}`,
    accepts: { values: SYNTAXES, anyCase: true },
  },
];

const PURPOSE = 'field extraction';

export class ExtractField implements Transformation {
  private path = new FieldPath('', 'V1');
  private replaceNull = true;

  constructor(private readonly side: Side) {}

  configure(config: ConnectorConfig): void {
    const settings = new Settings(EXTRACT_FIELD_CONFIG, config);
    this.path = new FieldPath(
      settings.text('field'),
      settings.text('field.syntax.version').toUpperCase() as FieldSyntax,
    );
    this.replaceNull = settings.flag('replace.null.with.default');
  }

  apply<R extends ConnectRecord>(record: R): R {
    const schema = this.side.schemaOf(record);
    const value = this.side.valueOf(record);
    if (schema === null) {
      const extracted = isNull(value) ? null : this.path.valueIn(requireMap(value, PURPOSE));
      return this.side.replaced(record, null, extracted);
    }
    const struct = isNull(value) ? null : requireStruct(schema, value, PURPOSE);
    const fields = this.fields(schema);
    const extracted = struct === null ? null : valueAt(struct, fields, this.replaceNull);
    return this.side.replaced(record, (fields.at(-1) as Field).schema, extracted);
  }

  private readonly fields = perSchema((schema): readonly Field[] => {
    const fields = this.path.fieldsOf(schema);
    if (!fields) throw new ShapeError('java.lang.IllegalArgumentException', `Unknown field: ${this.path.text}`);
    return fields;
  });
}
