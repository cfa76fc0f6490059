/** The types of a registered schema, with what it imports. */
import { schemaError } from '../faults';
import type { RegisteredSchema } from '../../registry/schema-registry';
import { MOST_FILES } from '../limits';
import type { ProtoFile } from './proto-model';
import { parseDescriptor } from './descriptor-file';
import { parseProto, type ParsedFile } from './proto-parser';
import { resolveFiles } from './proto-resolver';
import { wellKnownFile } from './well-known';

/** Throws DataError `PROTOBUF_SCHEMA`. */
export function readRegistered(registered: Pick<RegisteredSchema, 'text' | 'dependencies'>): ProtoFile {
  const count = { declarations: 0 };
  const main = parseFile(registered.text, count);
  const imported = new Map<string, ParsedFile>();
  // Imports may form cycles: a file that is known is not read again.
  const missing = [...main.imports];
  for (let path = missing.pop(); path !== undefined; path = missing.pop()) {
    if (imported.has(path)) continue;
    if (imported.size >= MOST_FILES) throw schemaError(`The schema imports more than ${MOST_FILES} files.`);
    const text = wellKnownFile(path) ?? registered.dependencies.get(path);
    if (text === undefined)
      throw schemaError(`The schema imports ${path.slice(0, 200)}, which is not among its references in the registry.`);
    const file = parseFile(text, count);
    imported.set(path, file);
    missing.push(...file.imports);
  }
  return resolveFiles([...imported.values(), main]);
}

function parseFile(text: string, count: { declarations: number }): ParsedFile {
  return parseDescriptor(text, count) ?? parseProto(text, count);
}
