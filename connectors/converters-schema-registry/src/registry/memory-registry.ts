/** `mock://SCOPE`: a registry in the memory of the thread, for tests. It accepts every schema. */
import { DataError } from '@millrace/sdk';
import { FOR_EVER, type Lease } from './lease';
import { resolveReferences } from './references';
import type { RegisteredId, RegisteredSchema, SchemaKey, SchemaRegistry, SchemaText } from './schema-registry';

const scopes = new Map<string, SchemaRegistry>();

/** That of the scope, which is created if there is none yet. */
export function memoryRegistry(scope: string): SchemaRegistry {
  let found = scopes.get(scope);
  if (found === undefined) scopes.set(scope, (found = new MemoryRegistry()));
  return found;
}

interface Stored extends SchemaText {
  readonly id: number;
}

class MemoryRegistry implements SchemaRegistry {
  private readonly schemas = new Map<string, Stored>();
  /** By id, from 1 as in Java. */
  private readonly byId: Stored[] = [];
  private readonly subjects = new Map<string, Stored[]>();

  async register(subject: string, schema: SchemaText): Promise<RegisteredId> {
    const text = contentOf(schema);
    let stored = this.schemas.get(text);
    if (stored === undefined) {
      stored = { ...schema, id: this.byId.length + 1 };
      this.byId.push(stored);
      this.schemas.set(text, stored);
    }
    const versions = this.subjects.get(subject) ?? [];
    if (!versions.includes(stored)) this.subjects.set(subject, [...versions, stored]);
    return await Promise.resolve({ id: stored.id, guid: null });
  }

  async lookUp(subject: string, schema: SchemaText): Promise<RegisteredId> {
    const stored = this.schemas.get(contentOf(schema));
    if (stored === undefined || !this.versionsOf(subject).includes(stored)) throw unknownSchema({ subject });
    return await Promise.resolve({ id: stored.id, guid: null });
  }

  async latest(subject: string): Promise<RegisteredSchema> {
    const versions = this.versionsOf(subject);
    return await this.resolved(versions.at(-1) as Stored, versions.length);
  }

  async byKey(key: SchemaKey): Promise<RegisteredSchema> {
    const stored = typeof key === 'number' ? this.byId[key - 1] : undefined;
    if (stored === undefined) throw unknownSchema({ id: key });
    return await this.resolved(stored, null);
  }

  leaseOf(): Lease {
    return FOR_EVER;
  }

  private async resolved(stored: Stored, version: number | null): Promise<RegisteredSchema> {
    const dependencies = await resolveReferences(stored.references, (subject, wanted) => {
      const found = this.versionsOf(subject).at(wanted < 0 ? -1 : wanted - 1);
      return found === undefined ? Promise.reject(unknownSchema({ subject })) : Promise.resolve(found);
    });
    return { ...stored, version, guid: null, dependencies };
  }

  private versionsOf(subject: string): readonly Stored[] {
    const versions = this.subjects.get(subject);
    if (versions !== undefined) return versions;
    throw new DataError(`The schema registry does not have subject ${subject}.`, {
      code: 'REGISTRY_UNKNOWN_SUBJECT',
      place: { subject },
    });
  }
}

const contentOf = ({ type, text, references }: SchemaText): string => JSON.stringify([type, references, text]);

function unknownSchema(place: Readonly<Record<string, string | number>>): DataError {
  return new DataError('The schema registry does not have the schema.', { code: 'REGISTRY_UNKNOWN_SCHEMA', place });
}
