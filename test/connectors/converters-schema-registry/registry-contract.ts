/** What the client needs of every registry, on real ones. */
import { openRegistry } from '../../../connectors/converters-schema-registry/src/registry/open-registry';
import type { VerifiedLease } from '../../../connectors/converters-schema-registry/src/registry/lease';
import type {
  RegisteredId,
  RegisteredSchema,
  SchemaReference,
  SchemaRegistry,
  SchemaText,
} from '../../../connectors/converters-schema-registry/src/registry/schema-registry';

interface Registry {
  readonly url: string;
  stop(): Promise<void>;
}

const JSON_SCHEMA = '"$schema":"http://json-schema.org/draft-07/schema#","type":"object"';

export const avro = (schema: object, references: readonly SchemaReference[] = []): SchemaText => ({
  type: 'AVRO',
  text: JSON.stringify(schema),
  references,
});
export const record = (name: string, ...fields: object[]) => ({ type: 'record', name, namespace: 'shop', fields });
export const a = { name: 'a', type: 'string' };

/** @returns the registry, once the tests run */
export function registryContract(start: () => Promise<Registry>): () => Registry {
  let registry: Registry;
  let client: SchemaRegistry;
  beforeAll(async () => {
    registry = await start();
    client = openRegistry({ 'schema.registry.url': registry.url }).client;
  });
  afterAll(async () => {
    await registry.stop();
  });

  test('schemas are registered, found by id, looked up and the latest', async () => {
    const subject = 'a/b c-value';
    const schema = avro(record('A', a));
    const { id } = await client.register(subject, schema, true);
    // Other clients, with nothing in memory.
    const other = openRegistry({ 'schema.registry.url': registry.url, 'http.read.timeout.ms': '59999' }).client;
    await expect(other.register(subject, schema, false)).resolves.toMatchObject({ id });
    await expect(other.lookUp(subject, schema, true)).resolves.toMatchObject({ id });
    await expect(other.byKey(id)).resolves.toMatchObject({ ...schema, id });
    await expect(other.latest(subject)).resolves.toMatchObject({ ...schema, id, version: 1 });
  });

  test('answers that hold are the same when they are verified, others are gone', async () => {
    const references = [{ name: 'shop.V', subject: 'verified-v', version: 1 }];
    await client.register('verified-v', avro(record('V', a)), false);
    const check = (answer: RegisteredId | RegisteredSchema) => (client.leaseOf(answer) as VerifiedLease).check();
    for (const normalize of [false, true])
      for (const schema of [
        avro(record('W', a, { name: 'v', type: 'shop.V' }), references),
        { ...avro({}), type: 'PROTOBUF', text: 'syntax = "proto3";\nmessage V { string a = 1; }\n' } as const,
        { ...avro({}), type: 'JSON', text: `{ ${JSON_SCHEMA}, "title": "V" }` } as const,
      ]) {
        const subject = `verified-${schema.type}`;
        const registered = await client.register(subject, schema, normalize);
        const answers = [
          registered,
          await client.lookUp(subject, schema, normalize),
          await client.byKey(registered.id),
          await client.latest(subject),
        ];
        for (const answer of answers) expect([subject, await check(answer)]).toEqual([subject, 'same']);
      }
    const { id } = await client.register('verified-gone', avro(record('Gone', a)), false);
    const answer = await client.register('verified-gone', avro(record('Gone', a)), false);
    expect(answer.id).toBe(id);
    for (const query of ['', '?permanent=true'])
      await fetch(`${registry.url}/subjects/verified-gone${query}`, { method: 'DELETE' });
    await expect(check(answer)).resolves.toBe('gone');
  });

  test('types of schemas, also by id', async () => {
    const proto = {
      type: 'PROTOBUF',
      text: 'syntax = "proto3";\nmessage M { string a = 1; }\n',
      references: [],
    } as const;
    const text = `{${JSON_SCHEMA}}`;
    const json = { type: 'JSON', text, references: [] } as const;
    for (const schema of [proto, json]) {
      const { id } = await client.register(schema.type, schema, false);
      await expect(client.byKey(id)).resolves.toMatchObject({ type: schema.type });
      await expect(client.latest(schema.type)).resolves.toMatchObject({ type: schema.type });
    }
  });

  test('references are resolved', async () => {
    const address = avro(record('Address', a));
    await client.register('address', address, false);
    const references = [{ name: 'shop.Address', subject: 'address', version: 1 }];
    const customer = avro(record('Customer', { name: 'address', type: 'shop.Address' }), references);
    const { id } = await client.register('customer', customer, false);
    const { dependencies } = await client.byKey(id);
    expect([...dependencies]).toEqual([['shop.Address', address.text]]);
  });

  test('the reasons of an incompatible schema', async () => {
    await client.register('compatible', avro(record('B', a)), false);
    await fetch(`${registry.url}/config/compatible`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"compatibility":"BACKWARD"}',
    });
    const other = avro(record('B', { name: 'a', type: 'int' }));
    await expect(client.register('compatible', other, false)).rejects.toMatchObject({
      code: 'REGISTRY_INCOMPATIBLE',
      message: expect.stringMatching(
        /under subject compatible .*reader type: INT not compatible with writer type: STRING/,
      ),
    });
  });

  test('what the registry does not have, and what it refuses', async () => {
    await client.register('known', avro(record('C', a)), false);
    const codeOf = (work: Promise<unknown>) => work.then(String, ({ code }: { code: string }) => code);
    expect(await codeOf(client.byKey(999_999))).toBe('REGISTRY_UNKNOWN_SCHEMA');
    // Or no schemas by UUID.
    expect(await codeOf(client.byKey('cc0e0e0e-53c1-4a1a-8f1a-000000000001'))).toBe('REGISTRY_UNKNOWN_SCHEMA');
    expect(await codeOf(client.latest('unknown'))).toBe('REGISTRY_UNKNOWN_SUBJECT');
    expect(await codeOf(client.lookUp('unknown', avro(record('C', a)), false))).toBe('REGISTRY_UNKNOWN_SUBJECT');
    expect(await codeOf(client.lookUp('known', avro(record('D', a)), false))).toBe('REGISTRY_UNKNOWN_SCHEMA');
    expect(await codeOf(client.register('known', avro({ type: 'nonsense' }), false))).toBe('REGISTRY_REFUSED');
  });

  return () => registry;
}
