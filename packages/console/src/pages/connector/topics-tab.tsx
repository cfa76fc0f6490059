/** Topics that the connector has used. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConnectorDetails } from '../../worker-api';
import { request } from '../../api/request';
import { ActionButton } from '../../parts/button';
import { ConfirmAction } from '../../parts/dialog';
import { compareNames, formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Notice } from '../../parts/placeholders';
import { Text } from '../../parts/text';
import { announce } from '../../parts/toast';
import { connectPath } from './use-connector';

export interface TopicsTabProps {
  readonly details: ConnectorDetails;
  readonly refresh: () => void;
}

export function TopicsTab({ details, refresh }: TopicsTabProps): JSX.Element {
  const { topics, row } = details;
  const [isConfirmationOpen, setConfirmationOpen] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (topics === null)
    return (
      <Notice kind="unknown" title="Topics are not tracked">
        This worker sets "topic.tracking.enable=false".
      </Notice>
    );
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
  const verb = row.type === 'source' ? 'written to' : 'read from';
  return (
    <section aria-labelledby="topics">
      <div class="section-head">
        <h2 id="topics">
          Topics <span class="muted number">{topics.length}</span>
        </h2>
        <ActionButton
          needs="operator"
          isBusy={isBusy}
          objection={topics.length === 0 ? 'There is nothing to reset' : null}
          onClick={() => setConfirmationOpen(true)}
        >
          Reset the list
        </ActionButton>
      </div>
      {error && <ErrorNotice error={error} />}
      {topics.length === 0 ? (
        <Empty title={`The connector has not ${verb} a topic yet`} />
      ) : (
        <ul class="list" aria-label={`Topics ${verb}`}>
          {[...topics].sort(compareNames).map((topic) => (
            <li key={topic}>
              <Text>{topic}</Text>
            </li>
          ))}
        </ul>
      )}
      {isConfirmationOpen && (
        <ConfirmAction
          title="Reset the list of topics?"
          confirm="Reset the list"
          needs="operator"
          onConfirm={() => void reset()}
          onClose={() => setConfirmationOpen(false)}
        >
          <p>
            {formatNumberOf(topics.length, 'topic')} will be removed from this list. The topics themselves and their
            records stay. A topic appears again when the connector uses it.
          </p>
        </ConfirmAction>
      )}
    </section>
  );
}
