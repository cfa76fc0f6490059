/** The messages whose bytes are recorded from Java: each API in each declared version. */
import { APIS, includesVersion, type Api, type Field, type Primitive } from '@millrace/kafka-protocol';

export interface RecordedMessage {
  /** The key of its bytes in bytes.json. */
  readonly name: string;
  readonly api: Api;
  readonly version: number;
  readonly direction: 'request' | 'response';
  readonly hasNull: boolean;
  /** The fields of its version. */
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Values that differ from field to field, so that exchanged fields are detected. */
class Values {
  private count = 0;

  of(type: Primitive): unknown {
    const next = ++this.count;
    switch (type) {
      case 'bool':
        return true;
      case 'int8':
        return next % 100;
      case 'int16':
        return -next;
      case 'int32':
        return 70_000 + next;
      case 'int64':
        return 2 ** 40 + next;
      case 'uuid':
        return `0123456789abcdef${String(next).padStart(16, '0')}`;
      case 'string':
      case 'string?':
        return `ü${next}`;
      default:
        return Buffer.from([1, 2, next % 100]);
    }
  }
}

function full(fields: readonly Field[], version: number, values: Values): Record<string, unknown> {
  const present = fields.filter(([, , versions = '0+']) => includesVersion(versions, version));
  return Object.fromEntries(
    present.map(([name, type]) => {
      if (typeof type !== 'string') return [name, [full(type, version, values)]];
      if (!type.startsWith('[]')) return [name, values.of(type as Primitive)];
      const element = type.slice(2) as Primitive;
      return [name, [values.of(element), values.of(element)]];
    }),
  );
}

/** With null for everything that may be null in any version. */
function withNulls(fields: readonly Field[], version: number, values: Values): Record<string, unknown> {
  const message = full(fields, version, values);
  for (const [name, type, , options] of fields) {
    if (!(name in message)) continue;
    const isNullable = options?.nullable ?? (typeof type === 'string' && (type.endsWith('?') || type === 'records'));
    if (isNullable) message[name] = null;
    else if (typeof type !== 'string') message[name] = [withNulls(type, version, values)];
  }
  return message;
}

const containsNull = (value: unknown): boolean =>
  value === null ||
  (typeof value === 'object' && !Buffer.isBuffer(value) && Object.values(value as object).some(containsNull));

export const MESSAGES: readonly RecordedMessage[] = [...APIS.values()].flatMap((api) =>
  (['request', 'response'] as const).flatMap((direction) => {
    const [lowest, highest] = api.versions;
    const versions = Array.from({ length: highest - lowest + 1 }, (_, i) => lowest + i);
    return versions.flatMap((version) => {
      const name = `${api.name} ${version} ${direction}`;
      const message = { api, version, direction };
      const nulls = withNulls(api[direction], version, new Values());
      return [
        { ...message, name, hasNull: false, fields: full(api[direction], version, new Values()) },
        ...(containsNull(nulls) ? [{ ...message, name: `${name} with nulls`, hasNull: true, fields: nulls }] : []),
      ];
    });
  }),
);
