/** What the converters need of a schema registry. */
import type { Lease } from './lease';

export type SchemaType = 'AVRO' | 'JSON' | 'PROTOBUF';

export interface SchemaReference {
  /** The name under which the schema uses it: a type, an import, or a `$ref`. */
  readonly name: string;
  readonly subject: string;
  readonly version: number;
}

/** A schema as it is sent to the registry. */
export interface SchemaText {
  readonly type: SchemaType;
  readonly text: string;
  readonly references: readonly SchemaReference[];
}

/** A schema as the registry has it. */
export interface RegisteredSchema extends SchemaText {
  /** −1: the registry does not say it, of a schema by UUID. */
  readonly id: number;
  /** Null: the registry has none, or was not asked for it. */
  readonly version: number | null;
  /** UUID that newer registries give; null: none. */
  readonly guid: string | null;
  /** The texts of all schemas that it refers to, also indirectly, by the names in references; used ones come first. */
  readonly dependencies: ReadonlyMap<string, string>;
}

/** The id of a schema in records: a number, or in headers of newer clients a UUID. */
export type SchemaKey = number | string;

/**
 * Promises reject with RetriableError `REGISTRY_UNREACHABLE` while the registry is away; with ConfigError if it refuses
 * the caller; with DataError if it refuses or does not know the schema. Answers are cached; leases tell whether those
 * that a registry does not change still hold.
 */
export interface SchemaRegistry {
  /** The id of the schema under the subject, which is registered if it is not yet. */
  register(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId>;
  /** As `register`, of a schema that must be registered already. */
  lookUp(subject: string, schema: SchemaText, normalize: boolean): Promise<RegisteredId>;
  latest(subject: string): Promise<RegisteredSchema>;
  byKey(key: SchemaKey): Promise<RegisteredSchema>;
  /** @param answer as it was returned */
  leaseOf(answer: RegisteredId | RegisteredSchema): Lease;
}

export interface RegisteredId {
  readonly id: number;
  readonly guid: string | null;
}
