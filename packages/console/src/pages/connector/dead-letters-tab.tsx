/** Records that the connector could not deliver: by their reasons, or one by one. */
import type { JSX } from 'preact';
import type { ConnectorDetails } from '../../worker-api';
import { Empty, Notice } from '../../parts/placeholders';
import { roleObjection } from '../../parts/roles';
import { useSession } from '../../parts/session';
import { Code, InlineCode } from '../../parts/trace';
import { DeadLetterList } from './dead-letter-list';
import { LetterGroups } from './letter-groups';

const EXAMPLE = [
  'errors.tolerance=all',
  'errors.deadletterqueue.topic.name=NAME-dlq',
  'errors.deadletterqueue.context.headers.enable=true',
].join('\n');

export interface DeadLettersTabProps {
  readonly details: ConnectorDetails;
  /** Key of the group whose letters are shown; `all`: of all; empty: the groups. */
  readonly group: string;
}

export function DeadLettersTab({ details, group }: DeadLettersTabProps): JSX.Element {
  const { row, deadLetterTopic } = details;
  const { role } = useSession();
  const objection = roleObjection(role, 'operator');
  if (deadLetterTopic === null) return <NotConfigured type={row.type} />;
  if (objection)
    return (
      <Notice kind="unknown" title="Dead letters are not shown">
        {objection}: dead letters contain records.
      </Notice>
    );
  const of = { name: row.name, topic: deadLetterTopic };
  return group === '' ? (
    <LetterGroups {...of} />
  ) : (
    <DeadLetterList key={group} {...of} group={group === 'all' ? null : group} />
  );
}

function NotConfigured({ type }: { readonly type: ConnectorDetails['row']['type'] }): JSX.Element {
  if (type === 'source')
    return (
      <Empty title="Sources have no dead letters">
        <p>Only sinks write records that they cannot deliver to a dead letter queue.</p>
      </Empty>
    );
  return (
    <Notice kind="unknown" title="No dead letter queue is configured">
      <p>
        A record that cannot be converted or delivered stops the task, or is skipped with{' '}
        <InlineCode>errors.tolerance=all</InlineCode>. To keep such records in a topic, set these keys:
      </p>
      <Code label="keys of a dead letter queue">{EXAMPLE}</Code>
    </Notice>
  );
}
