/** The export that the manifest names. */
import type { ConverterPlugin } from '@millrace/sdk';
import { REGISTRY_CONFIG } from '../config';
import { RegistryConverter } from '../registry-converter';
import { PROTOBUF_CONFIG } from './protobuf-config';
import { createProtobufFormat } from './protobuf-format';

export const protobufConverter: ConverterPlugin = {
  type: 'converter',
  config: [...REGISTRY_CONFIG, ...PROTOBUF_CONFIG],
  create: () => new RegistryConverter(createProtobufFormat),
};
