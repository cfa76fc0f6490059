/** Placeholders are found as by Java's expression, in linear time. */
import { hasPlaceholder, resolvePlaceholders } from '../../../src/config/providers/placeholders';
import type { ConfigProvider } from '../../../src/config/providers/provider';
import { cpuMs } from '../../helpers/cpu-time';
import { seeded } from '../../helpers/seeded';

/** Providers such as `DirectoryConfigProvider` answer for any path and key; a key that begins with x does not exist. */
const echo: ConfigProvider = {
  get: (path, keys) => {
    const known = [...keys].filter((key) => !key.startsWith('x'));
    return Promise.resolve(new Map(known.map((key) => [key, `<${path}|${key}>`])));
  },
};

const providers = new Map(['', 'a', 'b', '$', '{', 'a$', '${', 'a\n'].map((name) => [name, echo]));

const EXPRESSION = /\$\{([^}]*?):(([^}]*?):)?([^}]*?)\}/;

/** The result of the expression of Apache Kafka's ConfigTransformer. */
function asJava(value: string): string {
  return value.replace(
    new RegExp(EXPRESSION, 'g'),
    (text: string, name: string, _: unknown, path: string | undefined, key: string) =>
      providers.has(name) && !key.startsWith('x') ? `<${path ?? ''}|${key}>` : text,
  );
}

test('connect-runtime 8.2: 30,000 small values resolve as with Java’s expression', async () => {
  const { below, one } = seeded(12_345);
  const pieces = ['$', '{', '}', ':', '${', '${a:', 'a', 'b', 'x', '\n', '$1', '$&'];
  const values: Record<string, string> = {};
  for (let i = 0; i < 30_000; i++) values[i] = Array.from({ length: 1 + below(14) }, () => one(pieces)).join('');
  const resolved = await resolvePlaceholders(values, providers);
  const found = Object.keys(values).filter((key) => resolved[key] !== values[key]);
  expect(found.length).toBeGreaterThan(2_000);
  for (const [key, value] of Object.entries(values)) {
    const expected = { value, resolved: asJava(value), found: EXPRESSION.test(value) };
    const actual = { value, resolved: resolved[key], found: hasPlaceholder(value) };
    // Jest's own comparison of so many values takes longer than the rest.
    if (actual.resolved !== expected.resolved || actual.found !== expected.found) expect(actual).toEqual(expected);
  }
});

test.each([
  ['openings that nothing closes', '${'.repeat(100_000)],
  ['colons that nothing closes', `\${${':'.repeat(100_000)}`],
  ['empty ones before a colon', `${'${}'.repeat(100_000)}:`],
  ['openings before a brace', `${'${'.repeat(100_000)}}`],
])('a value of 200 KB takes negligible CPU time: %s', async (_, value) => {
  // The expression took minutes.
  let resolved: unknown;
  expect(cpuMs(() => (resolved = resolvePlaceholders({ value }, providers)))).toBeLessThan(2_000);
  expect(cpuMs(() => expect(hasPlaceholder(value)).toBe(false))).toBeLessThan(2_000);
  expect(await resolved).toEqual({ value });
});
