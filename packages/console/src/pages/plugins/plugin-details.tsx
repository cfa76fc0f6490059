/** Keys of one plugin, by group. */
import type { JSX } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { requestText, segment } from '../../api/request';
import { groupDefinitions, matchesQuery } from '../../config-form/definitions';
import { Documentation } from '../../config-form/documentation';
import { useDefinitions } from '../../config-form/use-definitions';
import { Button } from '../../parts/button';
import { Field, TextInput } from '../../parts/form';
import { formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Skeleton } from '../../parts/placeholders';
import type { Definition } from '../../worker-api';
import { shortName, type Plugin } from '../../parts/plugin-versions';
import { printable } from '../../parts/printable';
import { navigate } from '../../parts/router';
import { roleObjection } from '../../parts/roles';
import { useSession } from '../../parts/session';
import { announce } from '../../parts/toast';
import { Fold } from '../../parts/trace';

const HIDDEN_BY = 'Another plugin with this class and version runs instead.';
/** Common keys, and the first ones of the plugin. */
const OPEN_GROUPS = 2;

export function PluginDetails({ plugin }: { readonly plugin: Plugin }): JSX.Element {
  const { class: className, type, selected_by: selectedBy } = plugin;
  const { role } = useSession();
  const { definitions, error, retry } = useDefinitions(className, selectedBy ?? null);
  const [query, setQuery] = useState('');
  const groups = useMemo(
    () => groupDefinitions((definitions ?? []).filter((definition) => matchesQuery(definition, query.trim()))),
    [definitions, query],
  );
  if (definitions === null) return error ? <ErrorNotice error={error} retry={retry} /> : <Skeleton lines={3} />;
  const isConnector = type === 'source' || type === 'sink';
  if (definitions.length === 0) return <Empty title="It has no keys" />;
  return (
    <div class="plugin-body">
      <div class="toolbar">
        <Field label={<span class="unseen">{`Search the keys of ${printable(className)}`}</span>}>
          {(ties) => <TextInput {...ties} type="search" placeholder="Search keys" value={query} onChange={setQuery} />}
        </Field>
        <span class="muted">{formatNumberOf(definitions.length, 'key')}</span>
        {isConnector && (
          <>
            <Button
              label={`Download the JSON Schema of ${printable(className)}`}
              onClick={() => downloadSchema(className, selectedBy ?? null)}
            >
              Download the JSON Schema
            </Button>
            <Button
              icon="plus"
              label={`Create a connector with ${printable(className)}`}
              objection={
                selectedBy === undefined && plugin.location !== undefined ? HIDDEN_BY : roleObjection(role, 'admin')
              }
              onClick={() => navigate({ page: 'create', query: { class: className, version: selectedBy ?? '' } })}
            >
              Create a connector
            </Button>
          </>
        )}
      </div>
      {groups.length === 0 && <Empty title="No key matches" />}
      {groups.map(({ name, title, definitions: keys }, i) => (
        <Fold
          key={name}
          summary={
            <>
              <bdi>{title}</bdi> <span class="muted number">{keys.length}</span>
            </>
          }
          isOpen={query !== '' || i < OPEN_GROUPS}
        >
          <dl class="key-docs">
            {keys.map((definition) => (
              <KeyDocumentation key={definition.name} definition={definition} />
            ))}
          </dl>
        </Fold>
      ))}
    </div>
  );
}

/** Not a link, which would have no credentials. */
function downloadSchema(className: string, version: string | null): void {
  const query = version === null ? '' : `?version=${encodeURIComponent(version)}`;
  requestText(`../connector-plugins/${segment(className)}/schema${query}`).then(
    (text) => {
      const url = URL.createObjectURL(new Blob([text], { type: 'application/schema+json' }));
      const link = document.createElement('a');
      link.href = url;
      link.download = `${shortName(className)}.schema.json`;
      link.click();
      URL.revokeObjectURL(url);
    },
    (error: Error) => announce(`No JSON Schema: ${printable(error.message)}`, 'error'),
  );
}

function KeyDocumentation({ definition }: { readonly definition: Definition }): JSX.Element {
  const { name, type, required, default_value: preset, importance, documentation, hints = {} } = definition;
  const { required_unless: unless, valid_values: values, without_effect: isIgnored } = hints;
  return (
    <div>
      <dt>
        <bdi class="code text">{printable(name)}</bdi>
        <span class="tag">{type.toLowerCase()}</span>
        {(required || unless) && (
          <span class="tag tag-required">{printable(['required', ...(unless ?? [])].join(' or '))}</span>
        )}
        {isIgnored && <span class="tag">no effect</span>}
        <span class="tag">{importance.toLowerCase()} importance</span>
      </dt>
      <dd>
        {documentation !== '' && <Documentation>{documentation}</Documentation>}
        {values && (
          <p class="muted">
            Values: <bdi class="code">{printable(values.join(', '))}</bdi>
          </p>
        )}
        {preset !== null && preset !== '' && (
          <p class="muted">
            Default: <bdi class="code">{printable(preset)}</bdi>
          </p>
        )}
      </dd>
    </div>
  );
}
