/** The export that the manifest names: Apicurio's class, whose settings are translated. */
import type { ConverterPlugin } from '@millrace/sdk';
import { avroConverter } from '../avro';
import { REGISTRY_CONFIG } from '../config';
import { APICURIO_CONFIG, confluentSettings } from '../config/apicurio-settings';

const confluents = new Set(REGISTRY_CONFIG.map(({ name }) => name));

export const apicurioAvroConverter: ConverterPlugin = {
  type: 'converter',
  config: [...APICURIO_CONFIG, ...avroConverter.config.filter(({ name }) => !confluents.has(name))],
  create: () => {
    const converter = avroConverter.create();
    const configure = converter.configure.bind(converter);
    converter.configure = (config, isKey) => configure(confluentSettings(config), isKey);
    return converter;
  },
};
