/** The predicates that are compiled into the worker. Source: connect-runtime §7.3. */
import { hasHeaderKey } from './has-header-key';
import { recordIsTombstone } from './record-is-tombstone';
import { topicNameMatches } from './topic-name-matches';

const PACKAGE = 'org.apache.kafka.connect.transforms.predicates';

/** By Java class name. */
export const builtInPredicates = [
  { className: `${PACKAGE}.HasHeaderKey`, plugin: hasHeaderKey },
  { className: `${PACKAGE}.RecordIsTombstone`, plugin: recordIsTombstone },
  { className: `${PACKAGE}.TopicNameMatches`, plugin: topicNameMatches },
];
