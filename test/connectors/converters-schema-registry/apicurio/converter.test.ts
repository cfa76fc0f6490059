/** Apicurio's class: Confluent's Avro converter with its settings. */
import { converterReady, schema } from '@millrace/sdk';
import { apicurioAvroConverter } from '../../../../connectors/converters-schema-registry/src/apicurio';
import { REGISTRY_CONFIG } from '../../../../connectors/converters-schema-registry/src/config';
import { SmallRegistry } from '../small-registry';

test('registers and writes through the interface of Confluent', async () => {
  const registry = await SmallRegistry.start(() => ({ body: { id: 7 } }));
  try {
    const converter = apicurioAvroConverter.create();
    const url = `${registry.url}/apis/registry/v3`;
    converter.configure({ 'apicurio.registry.url': url, 'apicurio.registry.auto-register': 'true' }, true);
    const write = () => converter.fromConnectData('t', schema('STRING'), 'a');
    try {
      write();
    } catch (error) {
      await converterReady(error);
    }
    expect([...(write() ?? [])]).toEqual([0, 0, 0, 0, 7, 2, 0x61]);
    expect(registry.requests).toEqual(['POST /apis/ccompat/v7/subjects/t-key/versions']);
  } finally {
    await registry.stop();
  }
});

test('has the settings of Avro, and its own for the registry', () => {
  const names = apicurioAvroConverter.config.map(({ name }) => name);
  expect(names).toContain('enhanced.avro.schema.support');
  expect(names.filter((name) => REGISTRY_CONFIG.some((key) => key.name === name))).toEqual([]);
  expect(() => apicurioAvroConverter.create().configure({}, false)).toThrow('apicurio.registry.url is missing');
});
