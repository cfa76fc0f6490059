/** The client against Apicurio Registry, by its interface that is Confluent's. */
import { isConfigError } from '@millrace/sdk';
import { confluentSettings } from '../../../../connectors/converters-schema-registry/src/config/apicurio-settings';
import { openRegistry } from '../../../../connectors/converters-schema-registry/src/registry/open-registry';
import { startApicurio } from '../../../../dev/services/apicurio';
import { a, avro, record, registryContract } from '../registry-contract';

const apicurio = registryContract(startApicurio);

test('an address with another path is none of a registry', async () => {
  for (const path of ['/', '/apis/registry/v2']) {
    const url = new URL(path, apicurio().url).href;
    const error: unknown = await openRegistry({ 'schema.registry.url': url })
      .client.latest('x')
      .catch((failure: unknown) => failure);
    expect(isConfigError(error)).toBe(true);
    expect(error).toMatchObject({ code: 'REGISTRY_ANSWER' });
  }
});

test('the settings of its own converter lead to the same registry', async () => {
  const config = {
    'apicurio.registry.url': new URL('/apis/registry/v2', apicurio().url).href,
    'apicurio.registry.headers.enabled': 'false',
    'apicurio.registry.as-confluent': 'true',
    'apicurio.registry.use-id': 'contentId',
    'apicurio.registry.auto-register': 'true',
  };
  const { id } = await openRegistry({ 'schema.registry.url': apicurio().url }).client.register(
    'shared',
    avro(record('E', a)),
    false,
  );
  const own = openRegistry(confluentSettings(config)).client;
  await expect(own.latest('shared')).resolves.toMatchObject({ id });
});
