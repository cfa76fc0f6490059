/** Confluent's client for Python against the schema registry. */
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startSchemaRegistry } from '@millrace/schema-registry';
import { whyNoPip } from '../../../dev/services/python-packages';
import { fetchPythonRegistryClient } from '../../../dev/services/python-registry-client';

const noPip = whyNoPip();
if (noPip !== null) process.stderr.write(`SKIPPED: the schema registry is not tried with Python's client. ${noPip}\n`);

(noPip === null ? test : test.skip)(
  'Confluent’s client for Python registers, looks up, compares and deletes schemas, and uses their ids in records',
  async () => {
    const PYTHONPATH = await fetchPythonRegistryClient();
    const { url, close } = await startSchemaRegistry({ port: 0 });
    try {
      const env = { ...process.env, PYTHONPATH };
      const { stdout } = await promisify(execFile)('python3', [join(__dirname, 'registry-client.py'), url], { env });
      expect(JSON.parse(stdout)).toEqual({
        registered: [1, 2, 1],
        'other subject': 1,
        schema: true,
        'looked up': 2,
        subjects: ['people', 'users'],
        versions: [1, 2],
        latest: 2,
        'version 1': 1,
        compatible: [true, false],
        levels: ['FULL', 'FULL'],
        incompatible: [409, 409],
        invalid: [422, 42201],
        missing: [404, 40401],
        record: { name: 'Ann' },
        reference: 'n.User',
        'JSON Schema': 4,
        Protobuf: 5,
        deleted: [2, [1]],
      });
    } finally {
      await close();
    }
  },
);
