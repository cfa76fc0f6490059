/** The export that the manifest names. */
import type { ConverterPlugin } from '@millrace/sdk';
import { REGISTRY_CONFIG } from '../config';
import { RegistryConverter } from '../registry-converter';
import { JSON_SCHEMA_CONFIG } from './json-schema-config';
import { createJsonSchemaFormat } from './json-schema-format';

export const jsonSchemaConverter: ConverterPlugin = {
  type: 'converter',
  config: [...REGISTRY_CONFIG, ...JSON_SCHEMA_CONFIG],
  create: () => new RegistryConverter(createJsonSchemaFormat),
};
