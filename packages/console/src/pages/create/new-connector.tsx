/** The form of a new connector, and what it sends. */
import type { JSX } from 'preact';
import { useCallback, useMemo, useRef, useState } from 'preact/hooks';
import type { Validation } from '../../worker-api';
import { request, segment } from '../../api/request';
import { ConfigEditor, keysOf } from '../../config-form/config-editor';
import { secretKeys } from '../../config-form/definitions';
import { HIDDEN, withErrorsOf, withValue } from '../../config-form/form-model';
import { refusedKeys } from '../../config-form/refused-keys';
import { ChosenPlugin } from '../../config-form/chosen-plugin';
import { useDefinitions } from '../../config-form/use-definitions';
import { useValidation } from '../../config-form/use-validation';
import type { Config, ConnectorDocument, InitialState } from '../../documents/parse-document';
import { useLeaveGuard } from '../../parts/leave-guard';
import { chosenOf, installedOf, VERSION_KEY } from '../../parts/plugin-versions';
import { ErrorNotice, Skeleton } from '../../parts/placeholders';
import { announce } from '../../parts/toast';
import { usePlugins } from '../plugins/use-plugins';
import { Review } from './review';

/** Its plugin was chosen before. */
const WITHOUT = ['connector.class'];
const HIDDEN_VALUE = 'The document has a hidden value here: write the value itself.';

export interface NewConnectorProps {
  readonly className: string;
  /** For `connector.plugin.version`; empty: the key is not set. */
  readonly version: string;
  /** What was pasted; null: nothing. */
  readonly document: ConnectorDocument | null;
}

export function NewConnector({ className, version, document }: NewConnectorProps): JSX.Element {
  const [config, setConfig] = useState<Config>(() => firstConfig(className, version, document));
  const [initialState, setInitialState] = useState<InitialState>(document?.initialState ?? 'RUNNING');
  const [problem, setProblem] = useState<string | null>(null);
  const [isCreated, setCreated] = useState(false);
  const [refusal, setRefusal] = useState<{ readonly of: Config; readonly byKey: ReadonlyMap<string, string> }>();
  const toFirstError = useRef<() => void>(() => undefined);
  // What has not been typed yet is not an error, until the connector is to be created.
  const [touched, setTouched] = useState<ReadonlySet<string> | null>(document === null ? new Set() : null);
  const changeKey = useCallback((key: string, value: string | undefined) => {
    setConfig((before) => withValue(before, key, value));
    setTouched((before) => before && new Set([...before, key]));
  }, []);
  const change = useCallback((next: Config) => {
    setConfig(next);
    setTouched(null);
  }, []);
  const plugins = usePlugins(true);
  const installed = useMemo(() => installedOf(plugins.data ?? [], className), [plugins.data, className]);
  const chosen = chosenOf(installed, config[VERSION_KEY]);
  const { definitions, error, retry } = useDefinitions(className, chosen?.selected_by ?? null);
  const validation = useValidation(
    (checked) =>
      request<Validation>(`../connector-plugins/${segment(className)}/config/validate?hints=true`, {
        method: 'PUT',
        body: checked,
      }),
    definitions === null ? null : config,
    className,
  );
  const answer = useMemo(
    () => (touched === null ? validation.answer : withErrorsOf(validation.answer, touched)),
    [validation.answer, touched],
  );
  const hidden = useMemo(() => Object.keys(config).filter((key) => config[key]?.includes(HIDDEN)), [config]);
  const ownErrors = useMemo(
    () =>
      new Map([...(refusal?.of === config ? refusal.byKey : []), ...hidden.map((key) => [key, HIDDEN_VALUE] as const)]),
    [config, hidden, refusal],
  );
  const isTyped = Object.keys(config).some((key) => key !== 'connector.class' && key !== VERSION_KEY) && !isCreated;
  const question = useLeaveGuard(isTyped, 'The connector is not created, and what you typed is lost.');
  if (definitions === null) return error ? <ErrorNotice error={error} retry={retry} /> : <Skeleton />;
  const isWrong = hidden.length > 0 || (validation.answer?.error_count ?? 0) > 0;
  const showErrors = (): void => {
    setTouched(null);
    announce('Correct the errors first.', 'error');
    toFirstError.current();
  };
  const refuse = (message: string): boolean => {
    const { byKey, others } = refusedKeys(message, keysOf({ definitions, config, validation }));
    if (byKey.size === 0) return false;
    setTouched(null);
    setRefusal({ of: config, byKey });
    toFirstError.current();
    return others.length === 0;
  };
  return (
    <div class="create">
      <div class="create-form">
        <ChosenPlugin
          {...{ className, installed }}
          version={config[VERSION_KEY]}
          isReadOnly={false}
          onChange={changeKey}
        />
        {error && <ErrorNotice error={error} retry={retry} />}
        <ConfigEditor
          definitions={definitions}
          validation={{ ...validation, answer }}
          config={config}
          stored={null}
          without={WITHOUT}
          ownErrors={ownErrors}
          firstView={document === null ? 'important' : 'set'}
          isReadOnly={false}
          onChange={change}
          onChangeKey={changeKey}
          onProblem={setProblem}
          toFirstError={toFirstError}
        />
      </div>
      <Review
        config={config}
        secrets={secretKeys(definitions, validation.answer?.configs)}
        initialState={initialState}
        onInitialState={setInitialState}
        objection={problem}
        onInvalid={isWrong && !validation.isPending ? showErrors : null}
        onRefused={refuse}
        onCreated={() => setCreated(true)}
      />
      {question}
    </div>
  );
}

function firstConfig(className: string, version: string, document: ConnectorDocument | null): Config {
  if (document === null) return { 'connector.class': className, ...(version !== '' && { [VERSION_KEY]: version }) };
  return document.name === '' ? document.config : { name: document.name, ...document.config };
}
