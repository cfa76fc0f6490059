/** The export that the manifest names. */
import type { ConverterPlugin } from '@millrace/sdk';
import { REGISTRY_CONFIG } from '../config';
import { RegistryConverter } from '../registry-converter';
import { AVRO_CONFIG } from './avro-config';
import { createAvroFormat } from './avro-format';

export const avroConverter: ConverterPlugin = {
  type: 'converter',
  config: [...REGISTRY_CONFIG, ...AVRO_CONFIG],
  create: () => new RegistryConverter(createAvroFormat),
};
