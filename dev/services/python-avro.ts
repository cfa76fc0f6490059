/** Python's fastavro and confluent-kafka, fetched into the cache. */
import { unpackedWheels } from './python-packages';

const PACKAGES = [
  ['fastavro', '1.13.1'],
  ['confluent-kafka', '2.16.1'],
] as const;

/** Downloads 9 MB the first time. Resolves with a folder for `PYTHONPATH`. */
export async function fetchPythonAvro(): Promise<string> {
  return await unpackedWheels('python-avro', PACKAGES);
}
