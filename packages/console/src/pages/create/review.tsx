/** What is sent to create the connector: as a document and as a command; and the button that sends it. */
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { retried } from '../../api/connect';
import { request, RequestError } from '../../api/request';
import { hideSecrets } from '../../config-form/form-model';
import { curlCommand } from '../../documents/curl-command';
import { INITIAL_STATES, type Config, type InitialState } from '../../documents/parse-document';
import { ActionButton } from '../../parts/button';
import { Checkbox, Field, Select } from '../../parts/form';
import { ErrorNotice } from '../../parts/placeholders';
import { navigate } from '../../parts/router';
import { announce } from '../../parts/toast';
import { Code, Fold } from '../../parts/trace';

export interface ReviewProps {
  readonly config: Config;
  readonly secrets: ReadonlySet<string>;
  readonly initialState: InitialState;
  readonly onInitialState: (state: InitialState) => void;
  readonly objection: string | null;
  /** Shows what is wrong, instead of creating the connector; null: nothing is. */
  readonly onInvalid: (() => void) | null;
  /** Shows the worker's message at the fields that it is about; true: all of it. */
  readonly onRefused: (message: string) => boolean;
  readonly onCreated: () => void;
}

const EFFECTS: Readonly<Record<InitialState, string>> = {
  RUNNING: 'Its tasks start at once.',
  PAUSED: 'Its tasks are assigned, and read nothing until it is resumed.',
  STOPPED: 'It has no tasks until it is resumed. Its offsets can be set before.',
};

export function Review(props: ReviewProps): JSX.Element {
  const { config, secrets, initialState, onInitialState, objection, onInvalid, onRefused, onCreated } = props;
  const [showsSecrets, setShowsSecrets] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<Error | null>(null);
  const [created, setCreated] = useState<string | null>(null);
  useEffect(() => {
    // After the rendering that ended the guard of the page.
    if (created !== null) navigate({ page: 'connector', name: created });
  }, [created]);
  const name = config['name']?.trim() ?? '';
  const hasSecrets = Object.keys(config).some((key) => secrets.has(key));
  const shown = documentOf(name, showsSecrets ? config : hideSecrets(config, secrets), initialState);
  const create = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      await retried(() => request('../connectors', { method: 'POST', body: documentOf(name, config, initialState) }));
      announce('The connector is created.');
      onCreated();
      setCreated(name);
    } catch (reason) {
      setBusy(false);
      const isPlaced = reason instanceof RequestError && onRefused(reason.message);
      if (isPlaced) announce('Not created: correct the errors first.', 'error');
      else setError(reason as Error);
    }
  };
  const text = JSON.stringify(shown, null, 2);
  return (
    <aside class="review" aria-label="Create">
      <Field label="Initial state" hint={EFFECTS[initialState]}>
        {(ties) => (
          <Select
            {...ties}
            value={initialState}
            onChange={(value) => onInitialState(value as InitialState)}
            options={INITIAL_STATES.map((state) => [state, state.charAt(0) + state.slice(1).toLowerCase()])}
          />
        )}
      </Field>
      {error && <ErrorNotice error={error} />}
      <ActionButton
        needs="admin"
        kind="primary"
        isBusy={isBusy}
        objection={objection}
        onClick={() => (onInvalid === null ? void create() : onInvalid())}
      >
        {isBusy ? 'Creating…' : 'Create connector'}
      </ActionButton>
      <Fold summary="Document" isOpen>
        <Code label="document">{text}</Code>
      </Fold>
      <Fold summary="As a command">
        <Code label="command">{curlCommand('POST', new URL('../connectors', location.href).href, text)}</Code>
      </Fold>
      {hasSecrets && (
        <Checkbox checked={showsSecrets} onChange={setShowsSecrets}>
          Show secrets in the document and the command
        </Checkbox>
      )}
    </aside>
  );
}

function documentOf(name: string, config: Config, initialState: InitialState): object {
  const { name: _, ...rest } = config;
  return { name, config: rest, ...(initialState === 'RUNNING' ? {} : { initial_state: initialState }) };
}
