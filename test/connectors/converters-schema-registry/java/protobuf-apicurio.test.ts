/** What the Protobuf converter registers, at a registry that others wrote: accepted, and read as it was written. */
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';
import { startApicurio, type Apicurio } from '../../../../dev/services/apicurio';
import { seeded } from '../../../helpers/seeded';
import { formatOf, read, writeAs } from '../protobuf/protobuf-harness';
import { Cases, configOf, tellsNull } from '../protobuf/seeded-cases';

let apicurio: Apicurio;
beforeAll(async () => {
  apicurio = await startApicurio();
});
afterAll(async () => {
  await apicurio.stop();
});

test('seeded schemas under all settings', async () => {
  const { client } = openRegistry({ 'schema.registry.url': apicurio.url });
  for (let run = 0; run < 60; run++) {
    const random = seeded(run);
    const config = configOf(random);
    const cases = new Cases(random, tellsNull(config));
    const one = random.chance(0.8) ? cases.struct(3, {}) : cases.any(2);
    const { schema } = formatOf(config).writer(one.schema);
    const value = one.value();
    const bytes = writeAs(one.schema, value, config);
    const { id } = await client.register(`subject-${run}`, schema, random.chance(0.5));
    // Another client, with nothing in memory.
    const other = openRegistry({
      'schema.registry.url': apicurio.url,
      'http.read.timeout.ms': String(50_000 + run),
    }).client;
    const returned = await other.byKey(id);
    expect(returned).toMatchObject({ type: 'PROTOBUF', id });
    expect(read(bytes, returned, config).value).toEqual(value);
  }
});
