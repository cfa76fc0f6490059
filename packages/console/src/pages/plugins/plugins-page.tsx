/** The installed plugins and the documentation of their keys. */
import type { JSX } from 'preact';
import { Button } from '../../parts/button';
import { FilterInput } from '../../parts/filter-input';
import { Select } from '../../parts/form';
import { formatNumberOf } from '../../parts/format';
import { PageBody } from '../../parts/frame';
import { Icon } from '../../parts/icon';
import { Empty, ErrorNotice, Skeleton } from '../../parts/placeholders';
import { matches, type Plugin, runsInText, shortName } from '../../parts/plugin-versions';
import { replaceQuery } from '../../parts/router';
import type { Query } from '../../parts/routes';
import { Name } from '../../parts/text';
import { PluginDetails } from './plugin-details';
import { keyOf, usePlugins } from './use-plugins';

const TYPES: readonly (readonly [string, string])[] = [
  ['', 'All types'],
  ['source', 'Sources'],
  ['sink', 'Sinks'],
  ['transformation', 'Transformations'],
  ['predicate', 'Predicates'],
  ['converter', 'Converters'],
  ['header_converter', 'Header converters'],
];

export function PluginsPage({ query }: { readonly query: Query }): JSX.Element {
  const { data, error, refresh } = usePlugins(false);
  return (
    <PageBody title="Plugins">
      {data ? (
        <Plugins plugins={data} query={query} />
      ) : error ? (
        <ErrorNotice error={error} retry={refresh} />
      ) : (
        <Skeleton />
      )}
    </PageBody>
  );
}

function Plugins({ plugins, query }: { readonly plugins: readonly Plugin[]; readonly query: Query }): JSX.Element {
  const { type = '', q = '', plugin: opened } = query;
  const change = (changed: Query): void => replaceQuery({ ...query, ...changed });
  const shown = plugins.filter((plugin) => (type === '' || plugin.type === type) && matches(plugin, q));
  return (
    <>
      <div class="toolbar">
        <Select aria-label="Type" value={type} onChange={(value) => change({ type: value })} options={TYPES} />
        <FilterInput
          label="Filter plugins by class, type or version"
          placeholder="Class, type or version"
          value={q}
          onChange={(value) => change({ q: value })}
        />
        <span class="muted" role="status">
          {formatNumberOf(shown.length, 'plugin')}
        </span>
      </div>
      {shown.length === 0 ? (
        <Empty title="No plugin matches the filter">
          <Button onClick={() => change({ q: '', type: '' })}>Show all plugins</Button>
        </Empty>
      ) : (
        <ul class="plugins" aria-label="Plugins">
          {shown.map((plugin) => (
            <PluginItem
              key={keyOf(plugin)}
              plugin={plugin}
              isOpen={opened === keyOf(plugin)}
              onToggle={(isOpen) => change({ plugin: isOpen ? keyOf(plugin) : '' })}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface PluginItemProps {
  readonly plugin: Plugin;
  readonly isOpen: boolean;
  readonly onToggle: (isOpen: boolean) => void;
}

function PluginItem({ plugin, isOpen, onToggle }: PluginItemProps): JSX.Element {
  const { class: className, type, version, location } = plugin;
  return (
    <li class="plugin">
      <button type="button" class="plugin-head" aria-expanded={isOpen} onClick={() => onToggle(!isOpen)}>
        <Icon name={isOpen ? 'down' : 'right'} />
        <span class="plugin-name">
          <Name>{shortName(className)}</Name>
          <span class="sub">
            <Name>{className}</Name>
          </span>
          {location !== undefined && (
            <span class="sub">
              <Name>{[runsInText(plugin.runs_in), location].filter((text) => text !== null).join(' · ')}</Name>
            </span>
          )}
        </span>
        <span class="tag">{type.replace('_', ' ')}</span>
        <span class="muted plugin-version">{version == null ? '' : <Name>{version}</Name>}</span>
      </button>
      {isOpen && <PluginDetails plugin={plugin} />}
    </li>
  );
}
