/**
 * `io.debezium.transforms.ToLogicalTopicRouter`: routes events of several tables, for instance shards, to one topic.
 * Source: cdc-postgres §7.11.
 */
import {
  LimitedLog,
  schema as makeSchema,
  type ConnectorConfig,
  type ConnectRecord,
  type Schema,
  type Transformation,
  type TransformationContext,
  type TransformationPlugin,
} from '@millrace/sdk';
import { ROUTER_CONFIG, routerSettings } from './router-settings';
import { dataError, extended, type StructValue } from './structs';
import { rewritten } from './topic-rewriting';

const STRING = makeSchema('STRING');
/** Routes are cached up to this many topics, more than any database has tables. */
const MANY_TOPICS = 10_000;

interface Route {
  readonly topic: string;
  /** Distinguishes keys of the old topic from those of others. */
  readonly identifier: string;
  readonly keySchemas: WeakMap<Schema, Schema>;
  readonly valueSchemas: WeakMap<Schema, Schema>;
}

/** A route is empty if the replacement is: an empty topic name cannot be used. */
const EMPTY = Symbol('empty');

export class ToLogicalTopicRouter implements Transformation {
  private log = new LimitedLog(undefined);
  private routeOf: (topic: string) => Route | typeof EMPTY | null = () => null;
  private keyField: string | null = null;
  private readonly routes = new Map<string, Route | typeof EMPTY | null>();

  /** @param defaultKeyField of `key.field.name` */
  constructor(private readonly defaultKeyField: string) {}

  configure(config: ConnectorConfig, context?: TransformationContext): void {
    const { topic: topicRule, keyField, keyText } = routerSettings(config, this.defaultKeyField);
    this.log = new LimitedLog(context?.logger);
    this.keyField = keyField;
    this.routes.clear();
    this.routeOf = (old) => {
      const topic = rewritten(topicRule, old);
      if (topic === null) return null;
      if (topic === '') return EMPTY;
      const identifier = (keyText && rewritten(keyText, old)) ?? old;
      return { topic, identifier, keySchemas: new WeakMap(), valueSchemas: new WeakMap() };
    };
  }

  apply<R extends ConnectRecord>(record: R): R {
    const route = this.route(record.topic);
    if (route === null) return record;
    if (route === EMPTY) {
      this.log.warn(record.topic, `Records of topic ${record.topic} stay there: topic.replacement results in no name.`);
      return record;
    }
    const { key = null, keySchema, value, valueSchema } = record;
    const isEnvelope = value !== null && value !== undefined && valueSchema?.name?.endsWith('.Envelope');
    return {
      ...record,
      topic: route.topic,
      keySchema: key === null ? null : this.keySchema(route, keySchema),
      key:
        key === null || this.keyField === null ? key : { ...(key as StructValue), [this.keyField]: route.identifier },
      valueSchema: isEnvelope ? envelopeSchema(route, valueSchema as Schema) : valueSchema,
    };
  }

  private route(topic: string): Route | typeof EMPTY | null {
    let route = this.routes.get(topic);
    if (route === undefined) {
      if (this.routes.size >= MANY_TOPICS) this.routes.clear();
      this.routes.set(topic, (route = this.routeOf(topic)));
    }
    return route;
  }

  private keySchema(route: Route, schema: Schema | null): Schema {
    if (schema?.type !== 'STRUCT') {
      throw dataError(
        'Only Struct objects supported for [Updating schema]: a key that is not a struct cannot be routed.',
      );
    }
    let updated = route.keySchemas.get(schema);
    if (!updated) {
      const more = this.keyField === null ? [] : [[this.keyField, STRING] as const];
      updated = Object.freeze({ ...extended(schema, more), optional: schema.optional, name: `${route.topic}.Key` });
      route.keySchemas.set(schema, updated);
    }
    return updated;
  }
}

function envelopeSchema(route: Route, schema: Schema): Schema {
  let updated = route.valueSchemas.get(schema);
  if (!updated) {
    const rows = (schema.fields ?? []).filter(({ name }) => name === 'before' || name === 'after');
    // One object for both, as in the event, so that converters create one serializer.
    const row = rows[0] && Object.freeze({ ...rows[0].schema, name: `${route.topic}.Value`, default: undefined });
    const fields = (schema.fields ?? []).map((field) => {
      return row && rows.includes(field) ? Object.freeze({ ...field, schema: row }) : field;
    });
    updated = Object.freeze({ ...schema, name: `${route.topic}.Envelope`, default: undefined, fields });
    route.valueSchemas.set(schema, updated);
  }
  return updated;
}

export const toLogicalTopicRouter: TransformationPlugin = {
  type: 'transformation',
  config: ROUTER_CONFIG,
  create: () => new ToLogicalTopicRouter('__dbz__sourceIdentifier'),
};
