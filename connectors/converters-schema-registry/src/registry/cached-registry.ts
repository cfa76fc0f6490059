/**
 * A registry that is asked once for what it does not change, and rarely for what it does not have. It may be replaced,
 * or lose what it has: the answers in use are verified.
 */
import { createHash } from 'node:crypto';
import { isConnectError } from '@millrace/sdk';
import type { HttpRegistry, StoredSchema } from './http-registry';
import { FOR_EVER, type Finding, type Lease } from './lease';
import { Memo } from './memo';
import { resolveReferences } from './references';
import type { RegisteredId, RegisteredSchema, SchemaKey, SchemaRegistry, SchemaText } from './schema-registry';
import type { Verifier } from './verifier';

/** So that a topic of such records does not ask once for each. */
const FAILURE_TTL_MS = 10_000;
const MOST_IDS = 10_000;
/** Characters of schemas. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Of each schema, besides its text. */
const OVERHEAD = 1_000;
/** Codes of what the registry does not have. */
const GONE: ReadonlySet<string> = new Set(['REGISTRY_UNKNOWN_SUBJECT', 'REGISTRY_UNKNOWN_SCHEMA']);

export interface CacheSettings {
  /** Infinity: the latest version is read once. */
  readonly latestTtlMs: number;
  /** How long Java would remember what is missing. */
  readonly missingTtlMs: number;
}

export class CachedRegistry implements SchemaRegistry {
  private readonly ids: Memo<RegisteredId>;
  private readonly schemas: Memo<RegisteredSchema>;
  private readonly latests: Memo<RegisteredSchema>;
  private readonly versions: Memo<StoredSchema>;
  private readonly leases = new WeakMap<object, Lease>();

  constructor(
    private readonly registry: Pick<HttpRegistry, keyof HttpRegistry>,
    { latestTtlMs, missingTtlMs }: CacheSettings,
    private readonly verifier: Pick<Verifier, 'lease'>,
  ) {
    const failureTtlMs = Math.max(FAILURE_TTL_MS, missingTtlMs);
    const ofSchemas = { failureTtlMs, mostWeight: MOST_CHARACTERS, weigh: weightOf };
    this.ids = new Memo({ failureTtlMs, mostWeight: MOST_IDS });
    this.schemas = new Memo(ofSchemas);
    this.latests = new Memo({ ...ofSchemas, ttlMs: latestTtlMs });
    this.versions = new Memo({ ...ofSchemas, weigh: ({ text }) => OVERHEAD + text.length });
  }

  async register(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId> {
    return await this.id('register', subject, schema, normalize);
  }

  async lookUp(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId> {
    return await this.id('lookUp', subject, schema, normalize);
  }

  async latest(subject: string): Promise<RegisteredSchema> {
    const { latests, registry } = this;
    return await latests.get(subject, async () => {
      const latest = await this.resolved(await registry.latest(subject));
      const { version } = latest;
      if (version === null) return latest;
      return this.schemaLease(latests, subject, latest, () => registry.version(subject, version, true));
    });
  }

  async byKey(key: SchemaKey): Promise<RegisteredSchema> {
    const name = `${typeof key} ${key}`;
    const { schemas, registry } = this;
    const ofKey = (schema: StoredSchema) =>
      typeof key === 'number' ? { ...schema, id: key } : { ...schema, guid: key };
    return await schemas.get(name, async () => {
      const schema = await this.resolved(ofKey(await registry.byKey(key)));
      return this.schemaLease(schemas, name, schema, async () => ofKey(await registry.byKey(key, true)));
    });
  }

  leaseOf(answer: RegisteredId | RegisteredSchema): Lease {
    return this.leases.get(answer) ?? FOR_EVER;
  }

  private async id(
    request: 'register' | 'lookUp',
    subject: string,
    schema: SchemaText,
    normalize: boolean,
  ): Promise<RegisteredId> {
    const { ids, registry } = this;
    const key = keyOf(request, subject, schema, normalize);
    return await ids.get(key, async () => {
      const answer = await registry[request](subject, schema, normalize);
      const { id } = answer;
      // Also of a schema that is to be registered: only a record registers one.
      const isSame = async () => (await registry.verify(subject, schema, normalize)).id === id;
      return this.leased(ids, key, answer, isSame);
    });
  }

  private schemaLease(
    memo: Memo<RegisteredSchema>,
    key: string,
    answer: RegisteredSchema,
    read: () => Promise<StoredSchema>,
  ): RegisteredSchema {
    const known = digestOf(answer);
    const isSame = async () => {
      const now = await read();
      const version = (subject: string, of: number) => this.registry.version(subject, of, true);
      const dependencies = await resolveReferences(now.references, version);
      return digestOf({ ...now, id: now.id ?? -1, dependencies }) === known;
    };
    return this.leased(memo, key, answer, isSame);
  }

  private leased<V extends object>(memo: Memo<V>, key: string, answer: V, isSame: () => Promise<boolean>): V {
    const check = async (): Promise<Finding> => {
      const finding = await findingOf(isSame());
      if (finding !== 'same') {
        memo.forget(key);
        this.versions.clear();
      }
      return finding;
    };
    this.leases.set(answer, this.verifier.lease(check));
    return answer;
  }

  private async resolved(schema: StoredSchema): Promise<RegisteredSchema> {
    const dependencies = await resolveReferences(schema.references, (subject, version) =>
      version < 0
        ? this.registry.version(subject, version)
        : this.versions.get(`${version} ${subject}`, () => this.registry.version(subject, version)),
    );
    return { ...schema, id: schema.id ?? -1, dependencies };
  }
}

function keyOf(request: string, subject: string, schema: SchemaText, normalize: boolean): string {
  const { type, text, references } = schema;
  const parts = JSON.stringify([request, subject, normalize, type, references, text]);
  return createHash('sha256').update(parts).digest('base64');
}

/** What readers and writers are made of: texts would fill the memory. */
function digestOf({ id, type, text, references, dependencies }: RegisteredSchema): string {
  const parts = JSON.stringify([id, type, text, references, [...dependencies]]);
  return createHash('sha256').update(parts).digest('base64');
}

async function findingOf(isSame: Promise<boolean>): Promise<Finding> {
  try {
    return (await isSame) ? 'same' : 'other';
  } catch (error) {
    if (isConnectError(error) && GONE.has(error.code)) return 'gone';
    throw error;
  }
}

function weightOf({ text, dependencies }: RegisteredSchema): number {
  let weight = OVERHEAD + text.length;
  for (const [name, dependency] of dependencies) weight += name.length + dependency.length;
  return weight;
}
