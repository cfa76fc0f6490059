import type { ConfigKey } from '@millrace/sdk';

/** Set by the runtime: what a converter is used for. */
export const CONVERTER_TYPE: ConfigKey = {
  name: 'converter.type',
  type: 'STRING',
  importance: 'LOW',
  documentation: 'What the converter is used for: key, value or header. Set by the worker.',
  accepts: { values: ['key', 'value', 'header'] },
  validator: (value) =>
    value === 'key' || value === 'value' || value === 'header' ? null : 'String must be one of: key, value, header',
};
