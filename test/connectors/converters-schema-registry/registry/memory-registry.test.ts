/** `mock://`, as in Java: registries in memory, for tests of pipelines. */
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';
import type { SchemaText } from '../../../../connectors/converters-schema-registry/src/registry/schema-registry';

const open = (scope: string) => openRegistry({ 'schema.registry.url': `mock://${scope}` }).client;
const avro = (text: string, references: SchemaText['references'] = []): SchemaText => ({
  type: 'AVRO',
  text,
  references,
});

test('converters of the same scope share it; ids are those of content', async () => {
  expect(await open('shared').register('a', avro('"int"'), false)).toEqual({ id: 1, guid: null });
  expect(await open('shared').register('b', avro('"long"'), false)).toMatchObject({ id: 2 });
  expect(await open('shared').register('b', avro('"int"'), false)).toMatchObject({ id: 1 });
  expect(await open('shared').lookUp('b', avro('"int"'), false)).toMatchObject({ id: 1 });
  expect(await open('shared').latest('b')).toMatchObject({ id: 1, version: 2, text: '"int"' });
  expect(await open('shared').byKey(2)).toMatchObject({ text: '"long"', type: 'AVRO', dependencies: new Map() });
  await expect(open('other').byKey(1)).rejects.toMatchObject({ code: 'REGISTRY_UNKNOWN_SCHEMA' });
});

test('what it does not have', async () => {
  const client = open('missing');
  await client.register('a', avro('"int"'), false);
  await expect(client.lookUp('a', avro('"long"'), false)).rejects.toMatchObject({ code: 'REGISTRY_UNKNOWN_SCHEMA' });
  await expect(client.lookUp('b', avro('"int"'), false)).rejects.toMatchObject({ code: 'REGISTRY_UNKNOWN_SUBJECT' });
  await expect(client.latest('b')).rejects.toMatchObject({ code: 'REGISTRY_UNKNOWN_SUBJECT' });
  await expect(client.byKey('cc0e0e0e-53c1-4a1a-8f1a-000000000001')).rejects.toMatchObject({
    code: 'REGISTRY_UNKNOWN_SCHEMA',
  });
});

test('references', async () => {
  const client = open('references');
  await client.register('a', avro('A'), false);
  const { id } = await client.register('b', avro('B', [{ name: 'n', subject: 'a', version: 1 }]), false);
  expect([...(await client.byKey(id)).dependencies]).toEqual([['n', 'A']]);
});
