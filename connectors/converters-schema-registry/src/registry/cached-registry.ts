/** A registry that is asked once for what does not change, and rarely for what it does not have. */
import { createHash } from 'node:crypto';
import type { HttpRegistry, StoredSchema } from './http-registry';
import { Memo } from './memo';
import { resolveReferences } from './references';
import type { RegisteredId, RegisteredSchema, SchemaKey, SchemaRegistry, SchemaText } from './schema-registry';

/** So that a topic of such records does not ask once for each. */
const FAILURE_TTL_MS = 10_000;
const MOST_IDS = 10_000;
/** Characters of schemas. */
const MOST_CHARACTERS = 32 * 1024 * 1024;
/** Of each schema, besides its text. */
const OVERHEAD = 1_000;

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

  constructor(
    private readonly registry: Pick<HttpRegistry, keyof HttpRegistry>,
    { latestTtlMs, missingTtlMs }: CacheSettings,
  ) {
    const failureTtlMs = Math.max(FAILURE_TTL_MS, missingTtlMs);
    const ofSchemas = { failureTtlMs, mostWeight: MOST_CHARACTERS, weigh: weightOf };
    this.ids = new Memo({ failureTtlMs, mostWeight: MOST_IDS });
    this.schemas = new Memo(ofSchemas);
    this.latests = new Memo({ ...ofSchemas, ttlMs: latestTtlMs });
    this.versions = new Memo({ ...ofSchemas, weigh: ({ text }) => OVERHEAD + text.length });
  }

  async register(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId> {
    const key = keyOf('register', subject, schema, normalize);
    return await this.ids.get(key, () => this.registry.register(subject, schema, normalize));
  }

  async lookUp(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId> {
    const key = keyOf('lookUp', subject, schema, normalize);
    return await this.ids.get(key, () => this.registry.lookUp(subject, schema, normalize));
  }

  async latest(subject: string): Promise<RegisteredSchema> {
    return await this.latests.get(subject, async () => await this.resolved(await this.registry.latest(subject)));
  }

  async byKey(key: SchemaKey): Promise<RegisteredSchema> {
    const name = `${typeof key} ${key}`;
    return await this.schemas.get(name, async () => {
      const schema = await this.registry.byKey(key);
      return await this.resolved(typeof key === 'number' ? { ...schema, id: key } : { ...schema, guid: key });
    });
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

function weightOf({ text, dependencies }: RegisteredSchema): number {
  let weight = OVERHEAD + text.length;
  for (const [name, dependency] of dependencies) weight += name.length + dependency.length;
  return weight;
}
