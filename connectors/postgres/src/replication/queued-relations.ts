/** Relation messages in the queue, in order. */
import { parseRelation, RELATION, type RelationMessage } from '../events/relation-message';
import type { ArrivedMessages } from './message-source';
import { KEEPALIVE, XLOG_HEADER } from './replication-stream';

export function queuedRelations(queue: ArrivedMessages): RelationMessage[] {
  const found: RelationMessage[] = [];
  queue.forEach((buffer, start) => {
    const at = start + XLOG_HEADER;
    if (buffer[start] !== KEEPALIVE && buffer[at] === RELATION) found.push(parseRelation(buffer, at));
  });
  return found;
}
