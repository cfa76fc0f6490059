/** Edits a config in a form made of the definitions, or as JSON. Both show the same model. */
import type { JSX } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { Config } from '../documents/parse-document';
import { Button } from '../parts/button';
import { Select } from '../parts/form';
import { formatNumberOf } from '../parts/format';
import { Empty, ErrorNotice } from '../parts/placeholders';
import { FilterInput } from '../parts/filter-input';
import { share } from '../parts/share';
import { ConfigField } from './config-field';
import type { Definition } from '../worker-api';
import { ErrorSummary } from './error-summary';
import { focusField } from './focus-field';
import { fieldsInView, formOf, type Form, type View } from './form-model';
import { JsonView } from './json-view';
import { OtherKeys } from './other-keys';
import { refusedKeys } from './refused-keys';
import type { ValidationState } from './use-validation';

export interface ConfigEditorProps {
  readonly definitions: readonly Definition[];
  readonly validation: ValidationState;
  readonly config: Config;
  /** What the worker has; null: the connector is new. */
  readonly stored: Config | null;
  readonly without?: readonly string[];
  /** Errors that only the console knows, by key. */
  readonly ownErrors?: ReadonlyMap<string, string>;
  readonly firstView: View;
  readonly isReadOnly: boolean;
  readonly onChange: (config: Config) => void;
  readonly onChangeKey: (key: string, value: string | undefined) => void;
  /** Why the text of the JSON view is not a config; null: it is, or the form is shown. */
  readonly onProblem: (problem: string | null) => void;
  /** Set to a function that shows and focuses the first field with an error. */
  readonly toFirstError?: { current: () => void };
}

const VIEWS: readonly (readonly [View, string])[] = [
  ['set', 'Keys that are set'],
  ['important', 'Set and important keys'],
  ['all', 'All keys'],
];

export function ConfigEditor(props: ConfigEditorProps): JSX.Element {
  const { definitions, validation, config, stored, without, ownErrors, firstView, isReadOnly, toFirstError } = props;
  const [isJson, setJson] = useState(false);
  const [view, setView] = useState<View>(firstView);
  const [query, setQuery] = useState('');
  const [wanted, setWanted] = useState<{ readonly keyOf: () => string | undefined }>();
  const previous = useRef<Form | null>(null);
  const failure = useMemo(
    () => validation.error && refusedKeys(validation.error.message, keysOf(props)),
    [validation.error, definitions],
  );
  const form = useMemo(() => {
    const errors = new Map([...(failure?.byKey ?? []), ...(ownErrors ?? [])]);
    return formOf({ definitions, validation: validation.answer, config, without, ownErrors: errors });
  }, [definitions, validation.answer, failure, config, ownErrors]);
  // Unchanged fields remain the same objects, and are not rendered again.
  previous.current = share(previous.current, form);
  const { others, problems, warnings } = previous.current;
  const groups = fieldsInView(previous.current, view, query);
  const count = groups.reduce((sum, { fields }) => sum + fields.length, 0);
  const show = (keyOf: () => string | undefined): void => {
    setQuery('');
    setJson(false);
    setWanted({ keyOf });
  };
  const go = (key: string): void => show(() => key);
  if (toFirstError)
    toFirstError.current = () => show(() => previous.current?.problems.find(({ hasField }) => hasField)?.key);
  // Once the field is rendered, and a dialog before it is closed.
  useEffect(() => focusField(wanted?.keyOf() ?? ''), [wanted]);
  return (
    <div class="config-editor">
      <div class="toolbar">
        <div class="segments" role="group" aria-label="Show the configuration as">
          <Button isPressed={!isJson} onClick={() => setJson(false)}>
            Form
          </Button>
          <Button isPressed={isJson} onClick={() => setJson(true)}>
            JSON
          </Button>
        </div>
        {!isJson && (
          <>
            <Select
              aria-label="Keys to show"
              value={view}
              onChange={(value) => setView(value as View)}
              options={VIEWS}
            />
            <FilterInput
              label="Search keys and documentation"
              placeholder="Search keys and documentation"
              value={query}
              onChange={setQuery}
            />
          </>
        )}
        <p class="validity muted" role="status">
          {validation.isPending
            ? 'Checking…'
            : validation.answer?.error_count === 0 && !validation.error && problems.length === 0
              ? 'No errors'
              : ''}
          {!isJson && <span class="unseen"> {formatNumberOf(count, 'key')} shown</span>}
        </p>
      </div>
      {validation.error && failure?.others.length !== 0 && <ErrorNotice error={validation.error} />}
      <ErrorSummary problems={problems} warnings={warnings} onGo={go} />
      {isJson ? (
        <JsonView config={config} isReadOnly={isReadOnly} onChange={props.onChange} onProblem={props.onProblem} />
      ) : (
        <>
          {groups.map(({ name, title, fields }) => (
            <section key={name} class="config-group" aria-label={title}>
              <h2>
                <bdi>{title}</bdi>
              </h2>
              {fields.map((field) => (
                <ConfigField
                  key={field.key}
                  field={field}
                  stored={valueOf(stored, field.key)}
                  isChanged={stored !== null && valueOf(stored, field.key) !== field.value}
                  isReadOnly={isReadOnly}
                  onChange={props.onChangeKey}
                />
              ))}
            </section>
          ))}
          {count === 0 && definitions.length > 0 && (
            <Empty title={query === '' ? 'No key is set' : 'No key matches the search'}>
              {query === '' ? (
                <Button onClick={() => setView('all')}>Show all keys</Button>
              ) : (
                <Button onClick={() => setQuery('')}>Clear the search</Button>
              )}
            </Empty>
          )}
          {query === '' && (
            <OtherKeys keys={others} stored={stored} isReadOnly={isReadOnly} onChange={props.onChangeKey} />
          )}
        </>
      )}
    </div>
  );
}

/** Of a config and its definitions. */
export function keysOf({
  definitions,
  config,
  validation,
}: Pick<ConfigEditorProps, 'definitions' | 'config' | 'validation'>): readonly string[] {
  const validated = (validation.answer?.configs ?? []).flatMap(({ definition }) => definition ?? []);
  return [...[...definitions, ...validated].map(({ name }) => name), ...Object.keys(config)];
}

function valueOf(config: Config | null, key: string): string | undefined {
  return config !== null && Object.hasOwn(config, key) ? config[key] : undefined;
}
