/**
 * `io.debezium.transforms.TimezoneConverter`: changes the time zone of the times in change events. Source:
 * cdc-postgres §7.13.
 */
import {
  LimitedLog,
  LogicalName,
  readMember,
  safeInteger,
  setMember,
  zoneOffsets,
  type ConfigKey,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type Transformation,
  type TransformationContext,
  type TransformationPlugin,
  type ZoneOffsets,
} from '@millrace/sdk';
import { invalidSetting, listSetting, textSetting } from '../setting-values';
import { isEnvelope, requireStruct, schemaOf, TransformError, type StructValue } from '../structs';
import { ConvertedFields, isListOfRules, type Block, type FieldChoice } from './converted-fields';
import { movedTime, movedTimestamp } from './zoned-text';

/** What stands for infinity in a timestamp of any unit, or in its text (cdc-postgres Appendix R.1). */
const INFINITE: ReadonlySet<unknown> = new Set([
  ...['infinity', '-infinity', 9223372036825200000n, -9223372036832400000n],
  ...[9223372036854775807n, -9223372036854775808n, -9223372036853775810n],
]);
const ZONE = 'converted.timezone';
const INCLUDE = 'include.list';
const EXCLUDE = 'exclude.list';
const RULES =
  'Rules of the form source:<table>, source:<table>:<field>, topic:<topic>, topic:<topic>:<field> or <name>:<field>. A prefix holds for the rules after it.';

const key = (name: string, of: Omit<ConfigKey, 'name' | 'order' | 'importance' | 'width'>): ConfigKey => {
  return { name, importance: 'HIGH', order: 1, width: 'MEDIUM', ...of };
};

const TIMEZONE_CONFIG: readonly ConfigKey[] = [
  key(ZONE, {
    type: 'STRING',
    default: null,
    displayName: 'Converted Timezone',
    documentation: 'The time zone, e.g. Europe/Berlin or +08:00. Required.',
    requiredUnless: [],
    validator: (value) => {
      if (typeof value !== 'string' || value.trim() === '') return 'A value is required';
      return zoneOffsets(value.trim()) === null ? UNKNOWN_ZONE : null;
    },
  }),
  key(INCLUDE, {
    type: 'LIST',
    default: null,
    displayName: 'Include List',
    documentation: `What to convert. ${RULES}`,
    validator: (_, config) => listProblem(config),
  }),
  key(EXCLUDE, {
    type: 'LIST',
    default: null,
    displayName: 'Exclude List',
    documentation: `What not to convert. ${RULES}`,
    validator: (_, config) => listProblem(config),
  }),
];
const UNKNOWN_ZONE =
  'Invalid timezone format. Please specify either a geographic timezone (e.g. America/Los_Angeles) or a UTC offset in the format of +/-hh:mm, (e.g. +08:00).';

function listProblem(config: ConnectorConfig): string | null {
  const lists = [INCLUDE, EXCLUDE].map((name) => listSetting(config, name));
  if (lists.every((items) => items.length > 0)) {
    return 'Both include and exclude lists are specified. Please specify only one.';
  }
  return lists.every((items) => isListOfRules(items)) ? null : RULES;
}

const SECOND = { milli: 1_000n, micro: 1_000_000n, nano: 1_000_000_000n };
type Unit = keyof typeof SECOND;
const UNITS: Readonly<Record<string, Unit>> = {
  'io.debezium.time.Timestamp': 'milli',
  'io.debezium.time.MicroTimestamp': 'micro',
  'io.debezium.time.NanoTimestamp': 'nano',
};
/** The furthest a JavaScript Date reaches, in milliseconds. Times beyond it are numbers. */
const DATE_LIMIT = 8.64e15;
/** Types that cannot be moved to another time zone. */
const UNSUPPORTED: readonly (string | null)[] = [LogicalName.DATE, LogicalName.TIME];
const EPOCHS: Readonly<Record<string, Unit>> = { ts_ms: 'milli', ts_us: 'micro', ts_ns: 'nano' };

interface BlockOfTopic {
  readonly block: Block;
  readonly schema: Schema;
  readonly topic: string;
}

class TimezoneConverter implements Transformation {
  private zone: ZoneOffsets = { at: () => 0, ofLocal: () => 0 };
  private fields = new ConvertedFields([], []);
  private log = new LimitedLog(undefined);

  configure(config: ConnectorConfig, context?: TransformationContext): void {
    this.log = new LimitedLog(context?.logger);
    const name = textSetting(config, ZONE);
    if (name === null) throw invalidSetting(ZONE, null, 'A value is required');
    const list = textSetting(config, INCLUDE) === null ? EXCLUDE : INCLUDE;
    const problem = listProblem(config);
    if (problem !== null) throw invalidSetting(list, config[list] ?? null, problem);
    const zone = zoneOffsets(name);
    if (zone === null) throw invalidSetting(ZONE, name, UNKNOWN_ZONE);
    this.zone = zone;
    this.fields = new ConvertedFields(listSetting(config, INCLUDE), listSetting(config, EXCLUDE));
  }

  apply<R extends ConnectRecord>(record: R): R {
    if (!isEnvelope(record)) return record;
    const envelope = record.valueSchema as Schema;
    const event = requireStruct(envelope, record.value, 'Time zone conversion');
    const table = (event.source as StructValue | null | undefined)?.table;
    const choice = this.fields.of(record.topic, typeof table === 'string' ? table : null);
    if (choice === null) return record;
    let value: Record<string, unknown> | null = null;
    for (const block of ['before', 'after', 'source'] as const) {
      const chosen = choice(block);
      const schema = schemaOf(envelope, block);
      const struct = (event[block] ?? null) as StructValue | null;
      if (chosen === null || !schema || struct === null) continue;
      const converted = this.block({ block, schema, topic: record.topic }, struct, chosen);
      if (converted !== struct) (value ??= { ...event })[block] = converted;
    }
    return value === null ? record : { ...record, value };
  }

  private block({ block, schema: of, topic }: BlockOfTopic, struct: StructValue, chosen: FieldChoice): StructValue {
    let converted: Record<string, unknown> | null = null;
    for (const { name, schema } of of.fields ?? []) {
      const epoch =
        block === 'source' && schema.name === null && Object.hasOwn(EPOCHS, name) ? EPOCHS[name] : undefined;
      if ((schema.name === null && !epoch) || !chosen(name)) continue;
      if (UNSUPPORTED.includes(schema.name)) {
        this.log.warn(
          `${topic} ${name}`,
          `Field ${name} of topic ${topic} cannot be converted: ${schema.name} has no time zone.`,
        );
        continue;
      }
      const old = readMember(struct, name) ?? schema.default ?? null;
      if (old === null) continue;
      const moved = epoch ? this.epoch(schema, old, epoch) : this.value(schema.name as string, old);
      if (moved !== old) setMember((converted ??= { ...struct }), name, moved);
    }
    return converted ?? struct;
  }

  /** Types without an instant, such as dates, stay as they are, and so does infinity: it is no point in time. */
  private value(type: string, value: unknown): unknown {
    if (INFINITE.has(value)) return value;
    if (Object.hasOwn(UNITS, type)) return this.local(value as number | bigint, SECOND[UNITS[type] as Unit]);
    switch (type) {
      case 'io.debezium.time.ZonedTimestamp':
        return movedTimestamp(value as string, this.zone);
      case 'io.debezium.time.ZonedTime':
        // A time of day has no date that selects an offset, so today's is used.
        return movedTime(value as string, this.zone.at(Math.floor(Date.now() / 1000)));
      case LogicalName.TIMESTAMP: {
        if (!(value instanceof Date)) return this.local(value as number | bigint, SECOND.milli);
        const ms = value.getTime();
        const moved = ms - this.zone.ofLocal(Math.floor(ms / 1000)) * 1000;
        return Math.abs(moved) <= DATE_LIMIT ? new Date(moved) : moved;
      }
      default:
        return value;
    }
  }

  private local(value: number | bigint, unit: bigint): number | bigint {
    const seconds = floorDivided(BigInt(value), unit);
    return this.shifted(value, unit, -this.zone.ofLocal(Number(seconds)));
  }

  private epoch({ type }: Schema, value: unknown, of: Unit): unknown {
    if (type !== 'INT64') {
      throw new TransformError('io.debezium.DebeziumException', 'Epoch field value should be a java.lang.Long');
    }
    const unit = SECOND[of];
    const seconds = floorDivided(BigInt(value as number | bigint), unit);
    return this.shifted(value as number | bigint, unit, this.zone.at(Number(seconds)));
  }

  private shifted(value: number | bigint, unit: bigint, seconds: number): number | bigint {
    return safeInteger(BigInt(value) + BigInt(seconds) * unit);
  }
}

function floorDivided(value: bigint, by: bigint): bigint {
  const quotient = value / by;
  return value < 0n && quotient * by !== value ? quotient - 1n : quotient;
}

export const timezoneConverter: TransformationPlugin = {
  type: 'transformation',
  config: TIMEZONE_CONFIG,
  create: () => new TimezoneConverter(),
};
