/** Writes JSON Schemas for kubeconform, from Kubernetes' OpenAPI documents and from resource definitions (CRDs). */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: unknown;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly GroupVersionKind[];
  readonly [key: string]: unknown;
}

interface GroupVersionKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** Of kubeconform: `deployment-apps-v1.json`, `service-v1.json`, `prometheusrule-monitoring-v1.json`. */
export const SCHEMA_FILES = '{{.ResourceKind}}{{.KindSuffix}}.json';

function fileOf({ group, version, kind }: GroupVersionKind): string {
  const [first = ''] = group.split('.');
  return `${[kind, ...(first === '' ? [] : [first]), version].join('-').toLowerCase()}.json`;
}

/**
 * @param specs folder of OpenAPI 3 documents
 * @param kinds wanted, by the name of the document that has them
 */
export async function writeKubernetesSchemas(
  specs: string,
  kinds: Readonly<Record<string, readonly string[]>>,
  folder: string,
): Promise<void> {
  for (const [name, wanted] of Object.entries(kinds)) {
    const { components } = JSON.parse(await readFile(join(specs, name), 'utf8')) as {
      components: { schemas: Record<string, Schema> };
    };
    const schemas = closed(components.schemas) as Record<string, Schema>;
    for (const [id, schema] of Object.entries(schemas)) {
      const kind = schema['x-kubernetes-group-version-kind']?.[0];
      if (!kind || !wanted.includes(kind.kind)) continue;
      const document = { $ref: `#/components/schemas/${id}`, components: { schemas } };
      await writeFile(join(folder, fileOf(kind)), JSON.stringify(document));
    }
  }
}

/** @param files YAML, one CustomResourceDefinition each */
export async function writeCustomSchemas(files: readonly string[], folder: string): Promise<void> {
  for (const file of files) {
    const { spec } = parse(await readFile(file, 'utf8')) as {
      spec: {
        group: string;
        names: { kind: string };
        versions: { name: string; schema: { openAPIV3Schema: Schema } }[];
      };
    };
    for (const { name, schema } of spec.versions) {
      const target = fileOf({ group: spec.group, version: name, kind: spec.names.kind });
      await writeFile(join(folder, target), JSON.stringify(closed(schema.openAPIV3Schema)));
    }
  }
}

/** Without unknown properties, which the API server drops silently or rejects. */
function closed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(closed);
  if (typeof value !== 'object' || value === null) return value;
  const copy = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, closed(member)]));
  const { properties, additionalProperties, type, ...schema } = value as Schema;
  const isOpen = schema['x-kubernetes-preserve-unknown-fields'] === true || additionalProperties !== undefined;
  return type === 'object' && typeof properties === 'object' && !isOpen
    ? { ...copy, additionalProperties: false }
    : copy;
}
