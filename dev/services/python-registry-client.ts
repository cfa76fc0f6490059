/** Confluent's client of a schema registry for Python, fetched into the cache. */
import { unpackedWheels } from './python-packages';

/** Later versions have more dependencies. */
export const CONFLUENT_KAFKA = '2.5.3';

const PACKAGES = [
  ['confluent-kafka', CONFLUENT_KAFKA],
  ['fastavro', '1.13.1'],
  ['requests', '2.32.5'],
  ['urllib3', '2.5.0'],
  ['idna', '3.10'],
  ['certifi', '2025.8.3'],
  ['charset-normalizer', '3.4.3'],
] as const;

/** Downloads 8 MB the first time. Resolves with a folder for `PYTHONPATH`. */
export async function fetchPythonRegistryClient(): Promise<string> {
  return await unpackedWheels('python-registry-client', PACKAGES);
}
