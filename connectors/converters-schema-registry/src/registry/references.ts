/** The texts of all schemas that a schema refers to. */
import { DataError } from '@millrace/sdk';
import { quoted } from './quoted';
import type { SchemaReference, SchemaText } from './schema-registry';

const MOST_SCHEMAS = 1_000;
const MOST_DEPTH = 64;
/** Of all texts. */
const MOST_CHARACTERS = 16 * 1024 * 1024;

/**
 * By the names in references; used ones come first. As in Java, the first schema of a name counts. Rejects as `read`,
 * and with DataError if they are too many, too deep, or a circle.
 */
export async function resolveReferences(
  references: readonly SchemaReference[],
  read: (subject: string, version: number) => Promise<SchemaText>,
): Promise<ReadonlyMap<string, string>> {
  const texts = new Map<string, string>();
  if (references.length === 0) return texts;
  let schemas = 0;
  let characters = 0;
  /** @param path the schemas that lead to these references */
  const resolve = async (list: readonly SchemaReference[], path: readonly string[]): Promise<void> => {
    for (const { name, subject, version } of list) {
      const key = `${version} ${subject}`;
      if (path.includes(key)) throw problem(subject, version, 'are a circle');
      if (texts.has(name)) continue;
      if (++schemas > MOST_SCHEMAS) throw problem(subject, version, `are more than ${MOST_SCHEMAS}`);
      if (path.length >= MOST_DEPTH) throw problem(subject, version, `are deeper than ${MOST_DEPTH}`);
      const schema = await read(subject, version);
      characters += schema.text.length;
      if (characters > MOST_CHARACTERS) throw problem(subject, version, `have more than ${MOST_CHARACTERS} characters`);
      await resolve(schema.references, [...path, key]);
      if (!texts.has(name)) texts.set(name, schema.text);
    }
  };
  await resolve(references, []);
  return texts;
}

function problem(subject: string, version: number, what: string): DataError {
  return new DataError(`The schemas that the schema refers to ${what}.`, {
    code: 'REGISTRY_REFERENCES',
    place: { subject: quoted(subject, 300), version },
  });
}
