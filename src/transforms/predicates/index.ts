/** The predicates that are compiled into the worker. Source: connect-runtime §7.3. */
import type { PredicatePlugin } from '@millrace/sdk';
import { hasHeaderKey } from './has-header-key';
import { recordIsTombstone } from './record-is-tombstone';
import { topicNameMatches } from './topic-name-matches';

/** They behave as that release's. */
const VERSION = '4.3.1';
const PACKAGE = 'org.apache.kafka.connect.transforms.predicates';

/** What the plug-in registry takes (`BuiltInPlugin`), said again because predicates know the SDK alone. */
export interface BuiltInPredicate {
  readonly description: {
    readonly type: 'predicate';
    readonly class: string;
    readonly version: string;
    readonly aliases: readonly string[];
    readonly taskClass: null;
    readonly location: string;
  };
  readonly plugin: PredicatePlugin;
}

function builtIn(name: string, plugin: PredicatePlugin): BuiltInPredicate {
  return {
    description: {
      type: 'predicate',
      class: `${PACKAGE}.${name}`,
      version: VERSION,
      aliases: [],
      taskClass: null,
      location: 'built-in',
    },
    plugin,
  };
}

export const builtInPredicates: readonly BuiltInPredicate[] = [
  builtIn('HasHeaderKey', hasHeaderKey),
  builtIn('RecordIsTombstone', recordIsTombstone),
  builtIn('TopicNameMatches', topicNameMatches),
];
