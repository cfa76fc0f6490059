/** Counts per state, which are also the filter, and the filter by text. */
import type { JSX } from 'preact';
import type { ConnectorRow } from '../../worker-api';
import { SUMMARIES } from '../../parts/states';
import { FilterInput } from '../../parts/filter-input';
import { formatCount } from '../../parts/format';
import { Icon } from '../../parts/icon';
import type { Query } from '../../parts/routes';
import { countBySummary } from './rows';

export interface FiltersProps {
  readonly query: Query;
  /** Connectors that match the text. */
  readonly found: readonly ConnectorRow[];
  readonly total: number;
  readonly shown: number;
  readonly onChange: (query: Query) => void;
}

export function Filters({ query, found, total, shown, onChange }: FiltersProps): JSX.Element {
  const counts = countBySummary(found);
  const chosen = query['state'] ?? '';
  return (
    <div class="filters">
      <div class="chips" role="group" aria-label="Filter by state">
        <button type="button" class="chip" aria-pressed={chosen === ''} onClick={() => onChange({ state: '' })}>
          All <span class="number">{formatCount(found.length)}</span>
        </button>
        {SUMMARIES.map((summary) => {
          const count = counts.get(summary) ?? 0;
          return (
            <button
              key={summary}
              type="button"
              class={`chip tone-${summary}${count === 0 ? ' chip-none' : ''}`}
              aria-pressed={chosen === summary}
              onClick={() => onChange({ state: chosen === summary ? '' : summary })}
            >
              <Icon name={summary} />
              {summary[0]?.toUpperCase()}
              {summary.slice(1)} <span class="number">{formatCount(count)}</span>
            </button>
          );
        })}
      </div>
      <FilterInput
        label="Filter connectors by name, class or worker"
        placeholder="Name, class or worker"
        value={query['q'] ?? ''}
        onChange={(q) => onChange({ q })}
      />
      <p class="unseen" role="status">
        {shown === total ? `${total} connectors` : `${shown} of ${total} connectors`}
      </p>
    </div>
  );
}
