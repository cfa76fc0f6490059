/** How a cached answer is verified, and what is forgotten. */
import { DataError, RetriableError } from '@millrace/sdk';
import { CachedRegistry } from '../../../../connectors/converters-schema-registry/src/registry/cached-registry';
import type { StoredSchema } from '../../../../connectors/converters-schema-registry/src/registry/http-registry';
import { VerifiedLease } from '../../../../connectors/converters-schema-registry/src/registry/lease';
import type {
  RegisteredId,
  RegisteredSchema,
  SchemaText,
} from '../../../../connectors/converters-schema-registry/src/registry/schema-registry';

const SCHEMA: SchemaText = { type: 'AVRO', text: '"string"', references: [] };
const STORED: StoredSchema = { ...SCHEMA, id: 7, version: 3, guid: null };
const gone = (code: string) => new DataError('gone', { code });

let requests: string[];
/** What the registry answers by request. */
let answers: Map<string, RegisteredId | StoredSchema | Error>;
let client: CachedRegistry;
beforeEach(() => {
  requests = [];
  answers = new Map();
  const ask = (...parts: unknown[]) => {
    const request = parts.map(String).join(' ');
    requests.push(request);
    const answer = answers.get(request) ?? gone('REGISTRY_UNKNOWN_SCHEMA');
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as never);
  };
  const background = (isBackground?: boolean) => (isBackground === true ? ['background'] : []);
  const registry = {
    register: (subject: string, _: SchemaText, normalize: boolean) => ask('register', subject, normalize),
    lookUp: (subject: string, _: SchemaText, normalize: boolean) => ask('lookUp', subject, normalize),
    verify: (subject: string, _: SchemaText, normalize: boolean) => ask('verify', subject, normalize),
    latest: (subject: string) => ask('latest', subject),
    version: (subject: string, version: number, is?: boolean) => ask('version', subject, version, ...background(is)),
    byKey: (key: number | string, is?: boolean) => ask('byKey', key, ...background(is)),
  };
  const verifier = { lease: (check: VerifiedLease['check']) => new VerifiedLease(check, () => undefined) };
  client = new CachedRegistry(registry, { latestTtlMs: Infinity, missingTtlMs: 0 }, verifier);
});

const check = (answer: RegisteredId | RegisteredSchema) => (client.leaseOf(answer) as VerifiedLease).check();

describe.each(['register', 'lookUp'] as const)('an id by %s', (request) => {
  test('is looked up, but never registered, by its check', async () => {
    answers.set(`${request} s true`, { id: 7, guid: null });
    answers.set('verify s true', { id: 7, guid: 'of a newer registry' });
    const answer = await client[request]('s', SCHEMA, true);
    await expect(check(answer)).resolves.toBe('same');
    expect(await client[request]('s', SCHEMA, true)).toBe(answer);
    expect(requests).toEqual([`${request} s true`, 'verify s true']);
  });

  test.each([
    ['other', { id: 8, guid: null }],
    ['gone', gone('REGISTRY_UNKNOWN_SUBJECT')],
    ['gone', gone('REGISTRY_UNKNOWN_SCHEMA')],
  ])('that is %s is asked for again', async (finding, answer) => {
    answers.set(`${request} s false`, { id: 7, guid: null });
    answers.set('verify s false', answer);
    await expect(check(await client[request]('s', SCHEMA, false))).resolves.toBe(finding);
    answers.set(`${request} s false`, { id: 9, guid: null });
    const next = await client[request]('s', SCHEMA, false);
    expect(next.id).toBe(9);
    expect(client.leaseOf(next)).toMatchObject({ finding: 'same' });
  });

  test('holds if the registry does not say', async () => {
    answers.set(`${request} s false`, { id: 7, guid: null });
    const answer = await client[request]('s', SCHEMA, false);
    for (const error of [new RetriableError('away'), new DataError('refused', { code: 'REGISTRY_REFUSED' })]) {
      answers.set('verify s false', error);
      await expect(check(answer)).rejects.toBe(error);
    }
    expect(await client[request]('s', SCHEMA, false)).toBe(answer);
  });
});

describe('schemas', () => {
  const other = { ...STORED, text: '"int"' };

  test('by id: the text of the id', async () => {
    answers.set('byKey 7', STORED);
    answers.set('byKey 7 background', { ...STORED, id: null, version: null });
    const answer = await client.byKey(7);
    await expect(check(answer)).resolves.toBe('same');
    expect(await client.byKey(7)).toBe(answer);
    answers.set('byKey 7 background', other);
    await expect(check(answer)).resolves.toBe('other');
    answers.set('byKey 7', other);
    await expect(client.byKey(7)).resolves.toMatchObject({ text: '"int"' });
    answers.delete('byKey 7 background');
    await expect(check(answer)).resolves.toBe('gone');
  });

  test('of another type with the same text are others', async () => {
    answers.set('byKey 7', STORED);
    answers.set('byKey 7 background', { ...STORED, type: 'JSON' });
    await expect(check(await client.byKey(7))).resolves.toBe('other');
  });

  test('by UUID', async () => {
    answers.set('byKey u', STORED);
    answers.set('byKey u background', STORED);
    await expect(check(await client.byKey('u'))).resolves.toBe('same');
  });

  test('the latest: that version, whatever came after it', async () => {
    answers.set('latest s', STORED);
    answers.set('version s 3 background', STORED);
    const answer = await client.latest('s');
    await expect(check(answer)).resolves.toBe('same');
    answers.set('version s 3 background', { ...STORED, id: 8 });
    await expect(check(answer)).resolves.toBe('other');
    answers.set('latest s', { ...STORED, id: 8 });
    await expect(client.latest('s')).resolves.toMatchObject({ id: 8 });
  });

  test('with references: those are read again', async () => {
    const references = [{ name: 'r', subject: 'r', version: 1 }];
    answers.set('byKey 7', { ...STORED, references });
    answers.set('byKey 7 background', { ...STORED, references });
    for (const request of ['version r 1', 'version r 1 background']) answers.set(request, STORED);
    const answer = await client.byKey(7);
    await expect(check(answer)).resolves.toBe('same');
    for (const request of ['version r 1', 'version r 1 background']) answers.set(request, other);
    await expect(check(answer)).resolves.toBe('other');
    await expect(client.byKey(7)).resolves.toMatchObject({ dependencies: new Map([['r', '"int"']]) });
  });
});
