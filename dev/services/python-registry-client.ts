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

/** Of JSON Schema and Protobuf: the versions for which that client was made. */
const SERIALIZERS = [
  ['protobuf', '4.25.8'],
  ['jsonschema', '4.17.3'],
  ['attrs', '23.2.0'],
  ['pyrsistent', '0.20.0'],
] as const;

/** Downloads 8 MB the first time. Resolves with a folder for `PYTHONPATH`. */
export async function fetchPythonRegistryClient(): Promise<string> {
  return await unpackedWheels('python-registry-client', PACKAGES);
}

/** The client with its serializers of all formats. Downloads 9 MB the first time. */
export async function fetchPythonSerializers(): Promise<string> {
  return await unpackedWheels('python-serializers', [...PACKAGES, ...SERIALIZERS]);
}
