/** Asks before what can be done about a reason, and says what it means for the records. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConnectorDetails, HealthAction } from '../../worker-api';
import { requestText, request } from '../../api/request';
import { restartConnector, retried } from '../../api/connect';
import { diffConfigs, sameConfig, shownChanges, toPatch } from '../../config-form/config-diff';
import { effectsOf } from '../../offsets/effects';
import { patchOf, readOffsets } from '../../offsets/offsets-model';
import { ConfigDiff } from '../../parts/config-diff';
import { Field, TextInput } from '../../parts/form';
import { useGroup } from '../../parts/overview-store';
import { ErrorNotice, Skeleton } from '../../parts/placeholders';
import { printable } from '../../parts/printable';
import { StepsDialog } from '../../parts/steps-dialog';
import { Text } from '../../parts/text';
import { announce } from '../../parts/toast';
import { useLoaded } from '../../parts/use-loaded';
import { changeOffsets } from './change-offsets';
import { OffsetsDialog } from './offsets-dialog';
import { deadLetterTopicOf, skipped, topicProblem, withDeadLetterQueue, type SkipRecord } from './remedies';
import { connectPath, loadDetails } from './use-connector';

export interface ReasonDialogProps {
  readonly action: HealthAction;
  readonly details: ConnectorDetails;
  readonly refresh: () => void;
  readonly onClose: () => void;
}

type RemedyProps = Omit<ReasonDialogProps, 'action' | 'refresh'> & {
  /** What is shown is of before the change. */
  readonly onEnd: () => void;
};

export function ReasonDialog({ action, details, refresh, onClose }: ReasonDialogProps): JSX.Element {
  const group = useGroup();
  const onEnd = (): void => {
    refresh();
    group.refresh();
  };
  const props = { details, onEnd, onClose };
  switch (action.kind) {
    case 'skip-record':
      return <SkipDialog {...props} action={action} />;
    case 'dead-letter-queue':
      return <QueueDialog {...props} />;
    case 'restart':
      return <RestartDialog {...props} />;
    case 'reset-offsets':
      return (
        <OffsetsDialog
          row={details.row}
          effects={details.effects}
          asked={{ patch: null, changed: [] }}
          onDone={(message) => {
            announce(message);
            onEnd();
            onClose();
          }}
          onClose={onClose}
        />
      );
  }
}

function SkipDialog({ action, details, onEnd, onClose }: RemedyProps & { readonly action: SkipRecord }): JSX.Element {
  const { effects, row } = details;
  const { name, type } = row;
  const { topic, partition, offset } = action;
  // As it was when the dialog was opened: stopping the connector is a part of the change.
  const [wasStarted] = useState(row.target === 'STARTED');
  // Read once: while the dialog is open, the connector is stopped and its reasons change.
  const stored = useLoaded(
    async (signal) => readOffsets(await requestText(connectPath(name, '/offsets'), { signal }), type),
    name,
  );
  const change = stored.data && skipped(action, stored.data);
  const [effect] = change ? effectsOf([change], type, effects) : [];
  return (
    <StepsDialog
      title="Skip the record?"
      confirm={wasStarted ? 'Stop, skip and resume' : 'Stop and skip'}
      needs="admin"
      objection={change ? null : 'The offsets are not read yet'}
      run={async (report) => {
        const patch = patchOf([change as NonNullable<typeof change>], type);
        const answer = await changeOffsets({ name, patch, resumesAfter: wasStarted }, report);
        return wasStarted ? `The connector is resumed at offset ${offset}.` : answer;
      }}
      onEnd={onEnd}
      onClose={onClose}
    >
      <p>
        Partition {partition} of <Text>{topic}</Text> continues at offset {offset}. The record at offset {offset - 1} is
        never delivered, and is not written to a dead letter queue. A later record that fails stops the connector again.
      </p>
      {effect && <p class="warn">{printable(effect.sentence)}</p>}
      {stored.error && <ErrorNotice error={stored.error} retry={stored.reload} />}
      {!stored.data && !stored.error && <Skeleton lines={1} />}
      <p class="muted">
        Offsets can only be changed while the connector is stopped: all its tasks end
        {wasStarted ? ', and start again afterwards.' : '.'}
      </p>
    </StepsDialog>
  );
}

function QueueDialog({ details, onEnd, onClose }: RemedyProps): JSX.Element {
  const { name } = details.row;
  // As it was when the dialog was opened.
  const [base] = useState(details.config);
  const [topic, setTopic] = useState(deadLetterTopicOf(name));
  const [replication, setReplication] = useState('3');
  const changes = diffConfigs(base, withDeadLetterQueue(base, topic.trim(), replication.trim()));
  return (
    <StepsDialog
      title="Set a dead letter queue?"
      confirm="Save and restart"
      needs="admin"
      objection={
        topicProblem(topic.trim()) ?? (/^[1-9]\d?$/.test(replication.trim()) ? null : 'Replicas are a number from 1 on')
      }
      run={async (report) => {
        report('Reading the configuration…');
        const { config } = await loadDetails(name);
        if (!sameConfig(config, base))
          throw new Error('Nothing is saved: the configuration was changed by another caller. Open this again.');
        report('Saving the configuration…');
        await retried(() => request(connectPath(name, '/config'), { method: 'PATCH', body: toPatch(changes) }));
        return 'The configuration is saved, and the tasks restart with it.';
      }}
      onEnd={onEnd}
      onClose={onClose}
    >
      <p>
        Records that fail are written to this topic with the reason, and the connector continues with the next one. The
        page “Dead letters” shows them, and sends them back once the cause is corrected. Until then they are missing in
        the target, and later records may be delivered before them.
      </p>
      <Field label="Topic">{(ties) => <TextInput {...ties} value={topic} onChange={setTopic} isCode />}</Field>
      <Field label="Replicas, at most the number of brokers, if the topic is created">
        {(ties) => <TextInput {...ties} value={replication} onChange={setReplication} isCode />}
      </Field>
      <ConfigDiff keys={shownChanges(changes)} />
    </StepsDialog>
  );
}

function RestartDialog({ details, onEnd, onClose }: RemedyProps): JSX.Element {
  const { name } = details.row;
  return (
    <StepsDialog
      title="Restart what failed?"
      confirm="Restart"
      needs="operator"
      run={async (report) => {
        report('Requesting the restart…');
        const plan = await retried(() => restartConnector(name, { includeTasks: true, onlyFailed: true }));
        const parts = (plan?.tasks ?? []).filter(({ state }) => state === 'RESTARTING').length;
        return parts === 0 ? 'The restart is accepted.' : `The restart of ${parts} failed tasks is accepted.`;
      }}
      onEnd={onEnd}
      onClose={onClose}
    >
      <p>
        The failed parts are started again, and continue at their last committed offsets; running tasks are not touched.
        If the cause still exists, they fail again. {printable(details.effects.restart ?? '')}
      </p>
    </StepsDialog>
  );
}
