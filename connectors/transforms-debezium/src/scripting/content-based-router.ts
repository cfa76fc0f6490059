/** `io.debezium.transforms.ContentBasedRouter`: chooses the topic by an expression. Source: cdc-postgres §7.13. */
import type { TransformationPlugin } from '@millrace/sdk';
import { scriptingConfig } from './scripting-settings';
import { ScriptingTransformation } from './scripting-transformation';

const EXPRESSION = 'topic.expression';
const LEGAL_TOPIC = /^(?!\.{1,2}$)[a-zA-Z0-9._-]{1,249}$/;

export const contentBasedRouter: TransformationPlugin = {
  type: 'transformation',
  config: scriptingConfig([
    EXPRESSION,
    'Topic name expression',
    'Its result is the topic of the record; null: the record stays in its topic.',
  ]),
  create: () =>
    new ScriptingTransformation(EXPRESSION, 'String that names a topic', (record, topic) => {
      if (topic === null) return record;
      return typeof topic === 'string' && LEGAL_TOPIC.test(topic) ? { ...record, topic } : undefined;
    }),
};
