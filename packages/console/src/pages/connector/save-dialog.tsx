/** What changes, before it is saved. Only changed keys are sent. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { ConnectorDetails } from '../../worker-api';
import { retried } from '../../api/connect';
import { request, RequestError } from '../../api/request';
import { sameConfig, shownChanges, toPatch, type KeyChange } from '../../config-form/config-diff';
import { ConfigDiff } from '../../parts/config-diff';
import type { Config } from '../../documents/parse-document';
import { ActionButton, Button } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { formatNumberOf } from '../../parts/format';
import { ErrorNotice } from '../../parts/placeholders';
import { announce } from '../../parts/toast';
import { connectPath, loadDetails } from './use-connector';

export interface SaveDialogProps {
  readonly details: ConnectorDetails;
  readonly base: Config;
  readonly changes: readonly KeyChange[];
  /** The worker has not said whether the config is valid. */
  readonly isUnchecked: boolean;
  readonly onStored: () => void;
  /** The config was changed since the editing began; nothing was sent. */
  readonly onOutdated: () => void;
  /** Shows the worker's message at the fields that it is about; false: it is about none. */
  readonly onRefused: (message: string) => boolean;
  readonly onClose: () => void;
}

export function SaveDialog(props: SaveDialogProps): JSX.Element {
  const { details, base, changes, isUnchecked, onStored, onOutdated, onRefused, onClose } = props;
  const { name, target } = details.row;
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const save = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      // The polled config may be some seconds old.
      const { config } = await loadDetails(name);
      if (!sameConfig(config, base)) {
        announce('Not saved: the configuration was changed by another caller.', 'error');
        onOutdated();
        return;
      }
      await retried(() => request(connectPath(name, '/config'), { method: 'PATCH', body: toPatch(changes) }));
      onStored();
    } catch (reason) {
      if (reason instanceof RequestError && onRefused(reason.message)) return;
      setBusy(false);
      setError(reason as Error);
    }
  };
  return (
    <Dialog title="Save the configuration?" size="large" onClose={isBusy ? undefined : onClose}>
      <div class="dialog-body">
        {error && <ErrorNotice error={error} />}
        <ConfigDiff keys={shownChanges(changes)} />
        <p class="hint">
          {target === 'STARTED'
            ? 'The connector restarts with it, and so do the tasks whose configuration changes.'
            : `The connector stays ${target.toLowerCase()}; it uses the configuration when it is resumed.`}
          {isUnchecked && ' The worker checks it when it is saved.'}
        </p>
      </div>
      <footer class="dialog-foot">
        <Button objection={isBusy ? 'It is being saved' : null} onClick={onClose}>
          Cancel
        </Button>
        <ActionButton kind="primary" needs="admin" isBusy={isBusy} onClick={() => void save()}>
          {isBusy ? 'Saving…' : `Save ${formatNumberOf(changes.length, 'change')}`}
        </ActionButton>
      </footer>
    </Dialog>
  );
}
