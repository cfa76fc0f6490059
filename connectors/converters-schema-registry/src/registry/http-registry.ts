/** Confluent's REST interface of a registry: requests, and answers as what they mean. Nothing is remembered. */
import { ConfigError, DataError } from '@millrace/sdk';
import type { Answer } from './answer';
import { reasonIn, type Failover, type RegistryReply, type RegistryRequest } from './failover';
import { quoted } from './quoted';
import type { RegisteredId, SchemaKey, SchemaReference, SchemaText, SchemaType } from './schema-registry';

/** Characters. */
const LONGEST_SCHEMA = 8 * 1024 * 1024;
const MOST_REFERENCES = 1_000;
const MAX_INT = 2 ** 31 - 1;
const TYPES: ReadonlySet<unknown> = new Set<SchemaType>(['AVRO', 'JSON', 'PROTOBUF']);

/** As the registry has it, without the texts of what it refers to. */
export interface StoredSchema extends SchemaText {
  /** Null: the registry does not say. */
  readonly id: number | null;
  readonly version: number | null;
  readonly guid: string | null;
}

type Place = Readonly<Record<string, string | number>>;

export class HttpRegistry {
  constructor(private readonly servers: Pick<Failover, 'send'>) {}

  async register(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions${normalize ? '?normalize=true' : ''}`;
    return this.id(await this.send({ method: 'POST', path, body: bodyOf(schema) }, { subject }));
  }

  async lookUp(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId> {
    const path = `/subjects/${encodeURIComponent(subject)}${normalize ? '?normalize=true' : ''}`;
    return this.id(await this.send({ method: 'POST', path, body: bodyOf(schema) }, { subject }));
  }

  /** As `lookUp`, in the background. Also a schema that was deleted softly, whose id readers find. */
  async verify(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId> {
    const path = `/subjects/${encodeURIComponent(subject)}?${normalize ? 'normalize=true&' : ''}deleted=true`;
    return this.id(await this.send({ method: 'POST', path, body: bodyOf(schema), isBackground: true }, { subject }));
  }

  async latest(subject: string): Promise<StoredSchema> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions/latest`;
    return stored(await this.send({ method: 'GET', path, body: null }, { subject }));
  }

  /** Also one that was deleted: other schemas may still refer to it. */
  async version(subject: string, version: number, isBackground = false): Promise<StoredSchema> {
    const path = `/subjects/${encodeURIComponent(subject)}/versions/${version < 0 ? 'latest' : version}?deleted=true`;
    return stored(await this.send({ method: 'GET', path, body: null, isBackground }, { subject, version }));
  }

  async byKey(key: SchemaKey, isBackground = false): Promise<StoredSchema> {
    const [path, place] =
      typeof key === 'number'
        ? [`/schemas/ids/${key}`, { id: key }]
        : [`/schemas/guids/${encodeURIComponent(key)}`, { guid: key }];
    return stored(await this.send({ method: 'GET', path, body: null, isBackground }, place));
  }

  private id(reply: RegistryReply): RegisteredId {
    const id = intOf(reply.answer['id']);
    if (id === null) throw wrongShape(reply, 'has no id');
    return { id, guid: textOf(reply.answer['guid']) };
  }

  private async send(request: RegistryRequest, place: Place): Promise<RegistryReply> {
    const reply = await this.servers.send(request);
    if (reply.status >= 300) throw failure(reply, place);
    return reply;
  }
}

function bodyOf({ type, text, references }: SchemaText): object {
  return {
    schema: text,
    ...(type !== 'AVRO' && { schemaType: type }),
    ...(references.length > 0 && { references }),
  };
}

function stored(reply: RegistryReply): StoredSchema {
  const { answer } = reply;
  const { schema: text, schemaType: type = 'AVRO' } = answer;
  if (typeof text !== 'string') throw wrongShape(reply, 'has no schema');
  if (!TYPES.has(type)) throw wrongShape(reply, `has the schema type ${quoted(String(type), 50)}`);
  if (text.length > LONGEST_SCHEMA)
    throw new DataError(`The schema has ${text.length} characters; at most ${LONGEST_SCHEMA} are allowed.`, {
      code: 'REGISTRY_SCHEMA_SIZE',
      place: { url: reply.url },
    });
  return {
    type: type as SchemaType,
    text,
    references: referencesOf(reply),
    id: intOf(answer['id']),
    version: intOf(answer['version']),
    guid: textOf(answer['guid']),
  };
}

function referencesOf(reply: RegistryReply): SchemaReference[] {
  const list = reply.answer['references'] ?? [];
  if (!Array.isArray(list) || list.length > MOST_REFERENCES) throw wrongShape(reply, 'has no list of references');
  return list.map((item: unknown) => {
    const { name, subject, version } = (typeof item === 'object' && item !== null ? item : {}) as Answer;
    if (typeof name !== 'string' || typeof subject !== 'string' || !Number.isInteger(version))
      throw wrongShape(reply, 'has a reference without name, subject or version');
    return { name, subject, version: version as number };
  });
}

const intOf = (value: unknown): number | null =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= MAX_INT ? value : null;

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null);

function wrongShape({ status, url }: RegistryReply, what: string): ConfigError {
  return new ConfigError(
    `What schema.registry.url names is not a schema registry: HTTP status ${status}, its answer ${what}. Check the address and its path.`,
    { code: 'REGISTRY_ANSWER', place: { url } },
  );
}

function failure(reply: RegistryReply, about: Place): ConfigError | DataError {
  const { status, answer, url } = reply;
  const reason = reasonIn(answer);
  const place: Place = { ...shown(about), url };
  const subject = place['subject'] === undefined ? '' : ` under subject ${place['subject']}`;
  switch (answer['error_code'] as number) {
    case 40401:
    case 40402:
      return new DataError(
        `The schema registry does not have subject ${place['subject']}, or the version of it${reason}.`,
        {
          code: 'REGISTRY_UNKNOWN_SUBJECT',
          place,
        },
      );
    case 40403:
      return new DataError(`The schema registry does not have the schema${subject}${reason}.`, {
        code: 'REGISTRY_UNKNOWN_SCHEMA',
        place,
      });
  }
  // Older registries do not have the route of UUIDs.
  if (status === 404 && about['guid'] !== undefined)
    return new DataError(`The schema registry does not have the schema, or no schemas by UUID${reason}.`, {
      code: 'REGISTRY_UNKNOWN_SCHEMA',
      place,
    });
  if (status === 404 || status === 405) return wrongShape(reply, `is an error${reason}`);
  if (status !== 409)
    return new DataError(`The schema registry refuses the schema${subject} with HTTP status ${status}${reason}.`, {
      code: 'REGISTRY_REFUSED',
      place,
    });
  const version = /oldSchemaVersion:\s*(\d{1,10})/.exec(String(answer['message']))?.[1];
  const earlier = version === undefined ? 'earlier ones' : `version ${version}`;
  return new DataError(`The schema is not compatible with ${earlier}${subject}${reason}.`, {
    code: 'REGISTRY_INCOMPATIBLE',
    place: { ...place, ...(version !== undefined && { version: Number(version) }) },
  });
}

/** Names of subjects come from topics and schemas. */
function shown(place: Place): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries(place).map(([name, value]) => [name, typeof value === 'string' ? quoted(value, 300) : value]),
  );
}
