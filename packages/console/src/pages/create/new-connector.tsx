/** The form of a new connector, and what it sends. */
import type { JSX } from 'preact';
import { useCallback, useMemo, useState } from 'preact/hooks';
import type { Validation } from '../../worker-api';
import { request, segment } from '../../api/request';
import { ConfigEditor } from '../../config-form/config-editor';
import { focusField } from '../../config-form/config-field';
import { secretKeys } from '../../config-form/definitions';
import { HIDDEN, withErrorsOf, withValue } from '../../config-form/form-model';
import { useDefinitions } from '../../config-form/use-definitions';
import { useValidation } from '../../config-form/use-validation';
import type { Config, ConnectorDocument, InitialState } from '../../documents/parse-document';
import { useLeaveGuard } from '../../parts/leave-guard';
import { ErrorNotice, Skeleton } from '../../parts/placeholders';
import { announce } from '../../parts/toast';
import { Review } from './review';

/** Its plugin was chosen before. */
const WITHOUT = ['connector.class'];
const HIDDEN_VALUE = 'The document has a hidden value here: write the value itself.';

export interface NewConnectorProps {
  readonly className: string;
  /** What was pasted; null: nothing. */
  readonly document: ConnectorDocument | null;
}

export function NewConnector({ className, document }: NewConnectorProps): JSX.Element {
  const [config, setConfig] = useState<Config>(() => firstConfig(className, document));
  const [initialState, setInitialState] = useState<InitialState>(document?.initialState ?? 'RUNNING');
  const [problem, setProblem] = useState<string | null>(null);
  const [isCreated, setCreated] = useState(false);
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
  const { definitions, error, retry } = useDefinitions(className);
  const validation = useValidation(
    (checked) =>
      request<Validation>(`../connector-plugins/${segment(className)}/config/validate`, {
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
  const ownErrors = useMemo(
    () =>
      new Map(
        Object.entries(config)
          .filter(([, value]) => value.includes(HIDDEN))
          .map(([key]) => [key, HIDDEN_VALUE] as const),
      ),
    [config],
  );
  const isTyped = Object.keys(config).length > 1 && !isCreated;
  const question = useLeaveGuard(isTyped, 'The connector is not created, and what you typed is lost.');
  if (definitions === null) return error ? <ErrorNotice error={error} retry={retry} /> : <Skeleton />;
  const wrong = [
    ...ownErrors.keys(),
    ...(validation.answer?.configs ?? []).flatMap(({ value }) => (value?.errors.length ? [value.name] : [])),
  ];
  const showErrors = (): void => {
    setTouched(null);
    announce('Correct the errors first.', 'error');
    requestAnimationFrame(() => focusField(wrong[0] ?? ''));
  };
  return (
    <div class="create">
      <div class="create-form">
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
        />
      </div>
      <Review
        config={config}
        secrets={secretKeys(definitions, validation.answer?.configs)}
        initialState={initialState}
        onInitialState={setInitialState}
        objection={problem}
        onRefuse={wrong.length > 0 && !validation.isPending ? showErrors : null}
        onCreated={() => setCreated(true)}
      />
      {question}
    </div>
  );
}

function firstConfig(className: string, document: ConnectorDocument | null): Config {
  if (document === null) return { 'connector.class': className };
  return document.name === '' ? document.config : { name: document.name, ...document.config };
}
