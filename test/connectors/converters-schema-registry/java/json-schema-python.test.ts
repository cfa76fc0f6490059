/** Python's fastjsonschema accepts what the JSON Schema converter writes, and nothing else. */
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { fetchPythonJsonSchema } from '../../../../dev/services/python-json-schema';
import { seeded } from '../../../helpers/seeded';
import { jsonOf, schemaText, type Config } from '../json-schema/json-schema-harness';
import { RandomSchemas, SETTINGS } from '../json-schema/random-schemas';

interface Case {
  readonly schema: string;
  readonly values: readonly (string | null)[];
}

let modules: string;
beforeAll(async () => {
  modules = await fetchPythonJsonSchema();
});

/** Of each value of each case: null if it is valid. */
function errorsOf(cases: readonly Case[]): (string | null)[][] {
  const { stdout, stderr, status } = spawnSync('python3', [join(__dirname, 'validate-json.py')], {
    input: cases.map((one) => `${JSON.stringify(one)}\n`).join(''),
    env: { ...process.env, PYTHONPATH: modules },
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 });
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as (string | null)[]);
}

test('random values with all settings are valid', () => {
  const generator = new RandomSchemas(seeded(5));
  const cases = Array.from({ length: 320 }, (_, i): Case => {
    // It knows the drafts up to 7.
    const config: Config = { ...SETTINGS[i % SETTINGS.length], 'json.schema.spec.version': 'draft_7' };
    const of = { ...generator.struct(3), optional: false };
    return { schema: schemaText(of, config), values: [1, 2, 3].map(() => jsonOf(of, generator.value(of), config)) };
  });
  const errors = errorsOf(cases);
  const invalid = errors.flatMap((of, i) => (of.every((one) => one === null) ? [] : [{ ...cases[i], of }]));
  expect(invalid).toEqual([]);
  expect(errors).toHaveLength(cases.length);
});

test('another type is not', () => {
  const schema = '{"type":"object","properties":{"a":{"type":"integer","connect.type":"int8","connect.index":0}}}';
  expect(errorsOf([{ schema, values: ['{"a":1}', '{"a":"x"}'] }])).toEqual([[null, 'data.a must be integer']]);
});
