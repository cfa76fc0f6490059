/** The installed connectors. */
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { FilterInput } from '../../parts/filter-input';
import { formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Skeleton } from '../../parts/placeholders';
import { Name } from '../../parts/text';
import { formatRoute } from '../../parts/routes';
import { matches, placeText, shortName } from '../../parts/plugin-versions';
import { keyOf, usePlugins } from '../plugins/use-plugins';

export interface ChoosePluginProps {
  /** @param version for `connector.plugin.version`; empty: the key is not needed */
  readonly onChoose: (className: string, version: string) => void;
}

export function ChoosePlugin({ onChoose }: ChoosePluginProps): JSX.Element {
  const { data, error, refresh } = usePlugins(true);
  const [query, setQuery] = useState('');
  if (data === null) return error ? <ErrorNotice error={error} retry={refresh} /> : <Skeleton lines={4} />;
  // Nothing selects one that another plugin of the same class and version hides.
  const shown = data.filter((plugin) => plugin.selected_by !== undefined && matches(plugin, query));
  return (
    <>
      <div class="toolbar">
        <FilterInput
          label="Filter plugins by class, type or version"
          placeholder="Class, type or version"
          value={query}
          onChange={setQuery}
        />
        <span class="muted" role="status">
          {formatNumberOf(shown.length, 'plugin')}
        </span>
        <a href={formatRoute({ page: 'plugins' })}>Documentation of all plugins</a>
      </div>
      {shown.length === 0 && (
        <Empty title={data.length === 0 ? 'No connector plugin is installed' : 'No plugin matches the filter'} />
      )}
      <ul class="choices" aria-label="Plugins">
        {shown.map((plugin) => (
          <li key={keyOf(plugin)}>
            <button type="button" class="choice" onClick={() => onChoose(plugin.class, plugin.selected_by ?? '')}>
              <span class="choice-name">
                <Name>{shortName(plugin.class)}</Name>
                <span class="tag">{plugin.type}</span>
              </span>
              <span class="sub">
                <Name>{plugin.class}</Name>
              </span>
              <span class="sub">
                <Name>{placeText(plugin)}</Name>
              </span>
            </button>
          </li>
        ))}
      </ul>
    </>
  );
}
