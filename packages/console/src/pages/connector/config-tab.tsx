/** The configuration of a connector: edited in a form or as JSON, checked while typing, saved key by key. */
import type { JSX } from 'preact';
import { useMemo, useRef, useState } from 'preact/hooks';
import type { ConnectorDetails, Definition, Validation } from '../../worker-api';
import { request } from '../../api/request';
import { ConfigEditor, keysOf } from '../../config-form/config-editor';
import { diffConfigs, shownChanges, toPatch, withHiddenMark, type Rebased } from '../../config-form/config-diff';
import { secretKeys } from '../../config-form/definitions';
import { hideSecrets } from '../../config-form/form-model';
import { refusedKeys } from '../../config-form/refused-keys';
import { ChosenPlugin } from '../../config-form/chosen-plugin';
import { useDefinitions } from '../../config-form/use-definitions';
import type { Draft } from '../../config-form/use-draft';
import { useValidation } from '../../config-form/use-validation';
import type { Config } from '../../documents/parse-document';
import { Button } from '../../parts/button';
import { workerNow } from '../../parts/clock';
import { ConfigDiff } from '../../parts/config-diff';
import { formatNumberOf } from '../../parts/format';
import { Icon } from '../../parts/icon';
import { ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { chosenOf, installedOf, VERSION_KEY } from '../../parts/plugin-versions';
import { printable } from '../../parts/printable';
import { roleObjection } from '../../parts/roles';
import { useSession } from '../../parts/session';
import { announce } from '../../parts/toast';
import { usePlugins } from '../plugins/use-plugins';
import { SaveDialog } from './save-dialog';
import { Saved, type SavedConfig } from './saved';
import { detailsPath } from './use-connector';

const WITHOUT = ['name'];
const NO_DEFINITIONS: readonly Definition[] = [];

export interface ConfigTabProps {
  readonly details: ConnectorDetails;
  readonly draft: Draft;
  readonly refresh: () => void;
}

export function ConfigTab({ details, draft, refresh }: ConfigTabProps): JSX.Element {
  const { row } = details;
  const { role } = useSession();
  const objection = roleObjection(role, 'admin');
  const plugins = usePlugins(true);
  const installed = useMemo(() => installedOf(plugins.data ?? [], row.className), [plugins.data, row.className]);
  const chosen = chosenOf(installed, draft.config[VERSION_KEY]);
  const { definitions: found, error, retry } = useDefinitions(row.className, chosen?.selected_by ?? null);
  // Of a plugin that this worker cannot load, every key is one that no definition knows.
  const definitions = found ?? (error ? NO_DEFINITIONS : null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isSaving, setSaving] = useState(false);
  const [saved, setSaved] = useState<SavedConfig | null>(null);
  const [refusal, setRefusal] = useState<{ readonly of: Config; readonly byKey: ReadonlyMap<string, string> }>();
  const toFirstError = useRef<() => void>(() => undefined);
  const changes = useMemo(() => diffConfigs(draft.base, draft.config), [draft.base, draft.config]);
  const ownErrors = useMemo(
    () => new Map([...withHiddenMark(changes).map(({ key }) => [key, HIDDEN_MARK] as const), ...renamed(changes)]),
    [changes],
  );
  const shownErrors = useMemo(
    () => (refusal?.of === draft.config ? new Map([...refusal.byKey, ...ownErrors]) : ownErrors),
    [refusal, draft.config, ownErrors],
  );
  // What cannot be sent is not sent for validation either.
  const checked = useMemo(
    () => Object.fromEntries(Object.entries(draft.config).filter(([key]) => !ownErrors.has(key))),
    [draft.config, ownErrors],
  );
  const validation = useValidation(
    (config) =>
      request<Validation>(detailsPath(row.name, '/config/validate'), {
        method: 'PUT',
        body: toPatch(diffConfigs(withoutKeys(draft.base, ownErrors), config)),
      }),
    found === null ? null : checked,
    row.className,
  );
  if (definitions === null) return <Skeleton />;
  const secrets = secretKeys(definitions, validation.answer?.configs);
  const store = (config: Config): void => {
    setSaving(false);
    setSaved({ at: workerNow(), keys: changes.length });
    draft.stored(hideSecrets(config, secrets));
    refresh();
  };
  const refuse = (message: string): boolean => {
    const { byKey, others } = refusedKeys(message, keysOf({ definitions, config: draft.config, validation }));
    if (byKey.size === 0) return false;
    setSaving(false);
    setRefusal({ of: draft.config, byKey });
    announce(`Not saved: ${others.length === 0 ? 'correct the errors first.' : others.join(' ')}`, 'error');
    toFirstError.current();
    return true;
  };
  const hasErrors = (validation.answer?.error_count ?? 0) > 0 && !validation.isPending;
  const saveObjection =
    objection ??
    problem ??
    [...ownErrors.values()][0] ??
    (draft.rebased ? 'Decide about the changes of others first' : hasErrors ? 'Correct the errors first' : null);
  return (
    <>
      {error && <ErrorNotice error={error} retry={retry} />}
      {objection && (
        <Notice kind="unknown" title="Read only">
          {`${objection}. Its keys are checked, but not what it connects to.`}
        </Notice>
      )}
      {installed.length > 1 && (
        <ChosenPlugin
          {...{ className: row.className, installed }}
          version={draft.config[VERSION_KEY]}
          isReadOnly={objection !== null}
          onChange={draft.changeKey}
        />
      )}
      <ConfigEditor
        definitions={definitions}
        validation={validation}
        config={draft.config}
        stored={draft.base}
        without={WITHOUT}
        ownErrors={shownErrors}
        firstView="set"
        isReadOnly={objection !== null}
        onChange={draft.change}
        onChangeKey={draft.changeKey}
        onProblem={setProblem}
        toFirstError={toFirstError}
      />
      <div class="save-place">
        {saved && !draft.isChanged && <Saved saved={saved} row={row} onClose={() => setSaved(null)} />}
        {draft.rebased && <ChangedMeanwhile draft={draft} rebased={draft.rebased} />}
        {(draft.isChanged || problem !== null) && (
          <div class="save-bar" role="region" aria-label="Unsaved changes">
            <p role="status">{problem ?? `${formatNumberOf(changes.length, 'key')} changed, not saved`}</p>
            <Button onClick={draft.discard}>Discard</Button>
            <Button kind="primary" objection={saveObjection} onClick={() => setSaving(true)}>
              Review and save
            </Button>
          </div>
        )}
      </div>
      {isSaving && (
        <SaveDialog
          details={details}
          base={draft.base}
          changes={changes.map((change) => ({ ...change, isSecret: change.isSecret || secrets.has(change.key) }))}
          isUnchecked={validation.isPending || validation.error !== null}
          onStored={() => store(draft.config)}
          onOutdated={() => {
            setSaving(false);
            refresh();
          }}
          onRefused={refuse}
          onClose={() => setSaving(false)}
        />
      )}
    </>
  );
}

interface ChangedMeanwhileProps {
  readonly draft: Draft;
  readonly rebased: Rebased;
}

/** Another caller changed the configuration while it is edited here: shows what, and continues on theirs. */
function ChangedMeanwhile({ draft, rebased: { theirs, conflicts } }: ChangedMeanwhileProps): JSX.Element {
  return (
    <div role="alert" class="notice notice-degraded">
      <Icon name="degraded" />
      <div class="notice-text">
        <strong>The configuration was changed while you edited it</strong>
        <ConfigDiff keys={shownChanges(theirs)} />
        <p>
          {conflicts.length === 0
            ? 'These are other keys than yours: both can be kept.'
            : `You changed ${conflicts.map(printable).join(', ')}, too: your values replace these when you save.`}
        </p>
        <div class="notice-actions">
          <Button kind="primary" onClick={draft.takeOver}>
            Keep their changes and mine
          </Button>
          <Button onClick={draft.discard}>Discard mine</Button>
        </div>
      </div>
    </div>
  );
}

const HIDDEN_MARK = 'A part of this value is hidden, and would be lost: write the whole value.';

function renamed(changes: ReturnType<typeof diffConfigs>): (readonly [string, string])[] {
  const reason = 'A connector cannot be renamed: create another one.';
  return changes.some(({ key }) => key === 'name') ? [['name', reason]] : [];
}

function withoutKeys(config: Config, keys: ReadonlyMap<string, string>): Config {
  return Object.fromEntries(Object.entries(config).filter(([key]) => !keys.has(key)));
}
