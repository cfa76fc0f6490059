/** `io.debezium.transforms.Filter`: keeps the records for which a condition holds. Source: cdc-postgres §7.13. */
import type { TransformationPlugin } from '@millrace/sdk';
import { scriptingConfig } from './scripting-settings';
import { ScriptingTransformation } from './scripting-transformation';

const CONDITION = 'condition';

export const filter: TransformationPlugin = {
  type: 'transformation',
  config: scriptingConfig([CONDITION, 'Filtering condition', 'Records for which it is true are kept.']),
  create: () =>
    new ScriptingTransformation(CONDITION, 'Boolean', (record, result) => {
      if (typeof result !== 'boolean') return undefined;
      return result ? record : null;
    }),
};
