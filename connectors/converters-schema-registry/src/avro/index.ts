/** The export that the manifest names. */
import { ConfigError, type ConverterPlugin } from '@millrace/sdk';
import { RegistryConverter } from '../registry-converter';

export const avroConverter: ConverterPlugin = {
  type: 'converter',
  config: [],
  create: () =>
    new RegistryConverter(() => {
      throw new ConfigError('This converter is not available yet.');
    }),
};
