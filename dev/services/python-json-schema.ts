/** Python's fastjsonschema, fetched into the cache. */
import { unpackedWheels } from './python-packages';

/** Resolves with a folder for `PYTHONPATH`. */
export async function fetchPythonJsonSchema(): Promise<string> {
  return await unpackedWheels('python-json-schema', [['fastjsonschema', '2.21.1']]);
}
