import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { compiledCheck, usedTypes } from '../../../dev/bundle/lean';
import { manifestCheck, SCHEMA } from '../../../src/plugins/manifest-check';

interface Type {
  readonly extensions?: readonly string[];
  readonly charset?: string;
}

const mimeDb = JSON.parse(readFileSync(require.resolve('mime-db/db.json'), 'utf8')) as Record<string, Type>;
const entry = { type: 'sink', class: 'a.B' };
const MANIFESTS: readonly unknown[] = [
  {},
  null,
  [],
  'text',
  { plugins: {} },
  { plugins: [] },
  { plugins: [entry] },
  { plugins: [entry, { ...entry, type: 'other' }] },
  { plugins: [{ type: 'sink' }] },
  { plugins: [{ ...entry, class: '' }] },
  { plugins: [{ ...entry, unknown: 1 }] },
  { plugins: [{ ...entry, aliases: ['', 'b'] }] },
  { plugins: [{ ...entry, workerSettings: 'a' }] },
  { plugins: [{ ...entry, putIsRepeatable: 'no' }] },
  { plugins: [{ ...entry, deadLetters: {} }] },
  { plugins: [{ ...entry, deadLetters: { topic: 't', bootstrapServers: 'k:1' } }] },
  { plugins: [{ ...entry, console: { figures: 1 } }] },
  { plugins: [{ ...entry, signals: {} }] },
];

test('the check of manifests in a bundle gives the same results and errors as ajv', () => {
  const module = { exports: {} as { manifestCheck: typeof manifestCheck } };
  // As a bundle runs it.
  new Function('require', 'module', 'exports', compiledCheck(SCHEMA))(
    createRequire(__filename),
    module,
    module.exports,
  );
  const [compiled, oracle] = [module.exports.manifestCheck(), manifestCheck()];
  const results = MANIFESTS.map((manifest) => {
    const valid = compiled(manifest);
    expect({ valid, errors: compiled.errors }).toEqual({ valid: oracle(manifest), errors: oracle.errors });
    return valid;
  });
  expect(new Set(results)).toEqual(new Set([true, false]));
});

test('the types of a bundle are those that have extensions or a charset', () => {
  const used = usedTypes(mimeDb);
  expect(Object.keys(used).length).toBeLessThan(Object.keys(mimeDb).length);
  for (const [type, { extensions, charset }] of Object.entries(mimeDb))
    expect(type in used).toBe(extensions !== undefined || charset !== undefined);
});
