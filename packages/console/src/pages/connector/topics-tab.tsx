/** Topics that the connector has used, and the newest records of one. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConnectorDetails } from '../../worker-api';
import { request } from '../../api/request';
import { ActionButton, Button } from '../../parts/button';
import { ConfirmAction } from '../../parts/dialog';
import { compareNames, formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Notice } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { replaceQuery } from '../../parts/router';
import { Text } from '../../parts/text';
import { announce } from '../../parts/toast';
import { TopicRecordsView } from './topic-records';
import { connectPath } from './use-connector';

export interface TopicsTabProps {
  readonly details: ConnectorDetails;
  /** Whose records are shown; empty: of none. */
  readonly topic: string;
  readonly refresh: () => void;
}

export function TopicsTab({ details, topic, refresh }: TopicsTabProps): JSX.Element {
  const { topics, recordTopics, row } = details;
  const [isConfirmationOpen, setConfirmationOpen] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  const reset = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await request(connectPath(row.name, '/topics/reset'), { method: 'PUT' });
      announce('The list of topics is reset.');
      refresh();
    } catch (reason) {
      setError(reason as Error);
    }
    setBusy(false);
  };
  const all = [...new Set([...(topics ?? []), ...recordTopics])].sort(compareNames);
  const verb = row.type === 'source' ? 'written to' : 'read from';
  return (
    <section aria-labelledby="topics">
      <div class="section-head">
        <h2 id="topics">
          Topics <span class="muted number">{all.length}</span>
        </h2>
        {topics !== null && (
          <ActionButton
            needs="operator"
            isBusy={isBusy}
            objection={topics.length === 0 ? 'There is nothing to reset' : null}
            onClick={() => setConfirmationOpen(true)}
          >
            Reset the list
          </ActionButton>
        )}
      </div>
      {topics === null && (
        <Notice kind="unknown" title="Topics are not tracked">
          This worker sets "topic.tracking.enable=false".
        </Notice>
      )}
      {error && <ErrorNotice error={error} />}
      {all.length === 0 ? (
        topics !== null && <Empty title={`The connector has not ${verb} a topic yet`} />
      ) : (
        <ul class="list topics" aria-label={`Topics ${verb}`}>
          {all.map((one) => (
            <li key={one}>
              <Text>{one}</Text>
              {one === details.deadLetterTopic && <span class="muted">dead letters</span>}
              {recordTopics.includes(one) && (
                <Button
                  label={`${one === topic ? 'Hide' : 'Show'} the last records of ${printable(one)}`}
                  isPressed={one === topic}
                  onClick={() => replaceQuery({ tab: 'topics', topic: one === topic ? '' : one })}
                >
                  Last records
                </Button>
              )}
            </li>
          ))}
        </ul>
      )}
      {topic !== '' && <TopicRecordsView name={row.name} topic={topic} />}
      {isConfirmationOpen && (
        <ConfirmAction
          title="Reset the list of topics?"
          confirm="Reset the list"
          needs="operator"
          onConfirm={() => void reset()}
          onClose={() => setConfirmationOpen(false)}
        >
          <p>
            {formatNumberOf(topics?.length ?? 0, 'topic')} will be removed from this list. The topics themselves and
            their records stay. A topic appears again when the connector uses it.
          </p>
        </ConfirmAction>
      )}
    </section>
  );
}
