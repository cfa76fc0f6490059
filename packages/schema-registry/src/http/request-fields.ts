/** What requests contain, checked. */
import { MAX_ID } from '../bounds';
import { badRequest, errors, invalidSchema } from '../registry-error';
import { referencesOf, type StoredSchema } from '../core/log-records';
import type { RegisterRequest, VersionName } from '../core/registry';
import type { SchemaSource } from '../core/schema-parser';
import type { RouteRequest } from './router';

const TYPES = ['AVRO', 'JSON', 'PROTOBUF'] as const;
/** Of data contracts: they would change or refuse data, which the registry does not implement. */
const UNSUPPORTED = ['ruleSet', 'rulesToMerge', 'metadata'];

export function schemaSource({ body }: RouteRequest): SchemaSource {
  const { schema, schemaType } = body;
  const type = TYPES.find((one) => one === (schemaType ?? 'AVRO'));
  if (type === undefined) throw invalidSchema(`Unknown schemaType, it must be one of ${TYPES.join(', ')}`);
  if (typeof schema !== 'string' || schema.trim() === '') throw invalidSchema('Empty schema');
  const references = referencesOf(body.references);
  if (references === null) throw invalidSchema('Each reference must have a name, a subject and a version');
  const unsupported = UNSUPPORTED.find((name) => body[name] != null);
  if (unsupported !== undefined) throw invalidSchema(`${unsupported} is not supported by this registry`);
  return { type, text: schema, references };
}

export function registerRequest(request: RouteRequest): RegisterRequest {
  const given = (name: 'id' | 'version'): number | null => {
    const value = request.body[name];
    if (value == null) return null;
    if (!Number.isInteger(value) || (value as number) > MAX_ID) throw badRequest(`${name} must be a positive integer`);
    return (value as number) > 0 ? (value as number) : null;
  };
  return {
    ...schemaSource(request),
    normalize: flag(request, 'normalize'),
    id: given('id'),
    version: given('version'),
  };
}

export function flag({ query }: RouteRequest, name: string): boolean {
  return query.get(name)?.toLowerCase() === 'true';
}

/** The name in the request, or an integer as such. Throws 42202. */
export function versionName({ params }: RouteRequest): VersionName {
  const { version = '' } = params;
  if (version === 'latest' || version === '-1') return 'latest';
  const number = integer(version);
  if (number === null || number === 0) throw errors.invalidVersion(version.slice(0, 100));
  return number;
}

/** Null: the parameter is not an id. */
export function idOf({ params }: RouteRequest): number | null {
  return integer(params.id ?? '');
}

function integer(text: string): number | null {
  const number = /^\d{1,10}$/.test(text) ? Number(text) : MAX_ID + 1;
  return number <= MAX_ID ? number : null;
}

/** The part of a list that `offset` and `limit` name. */
export function page<T>({ query }: RouteRequest, list: readonly T[]): readonly T[] {
  const offset = integer(query.get('offset') ?? '') ?? 0;
  const limit = integer(query.get('limit') ?? '');
  return list.slice(offset, limit === null ? undefined : offset + limit);
}

/** A version as answers have it: Avro is not named. */
export function schemaAnswer({ subject, version, id, ...content }: StoredSchema): Record<string, unknown> {
  return { subject, version, id, ...contentAnswer(content) };
}

export function contentAnswer({
  type,
  references,
  text,
}: Pick<StoredSchema, 'type' | 'references' | 'text'>): Record<string, unknown> {
  return {
    ...(type === 'AVRO' ? {} : { schemaType: type }),
    ...(references.length === 0 ? {} : { references }),
    schema: text,
  };
}
