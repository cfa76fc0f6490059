/** What a connector is, where it runs and how fast. */
import type { ComponentChildren, JSX } from 'preact';
import type { ConnectorDetails } from '../../worker-api';
import { Age } from '../../parts/age';
import { SummaryBadge } from '../../parts/badge';
import { formatLag, formatRate, UNKNOWN } from '../../parts/format';
import { useGroup } from '../../parts/overview-store';
import { Sparkline } from '../../parts/rate-chart';
import { Name, Text } from '../../parts/text';

const NO_RATES: readonly (number | null)[] = [];

export function Facts({ details }: { readonly details: ConnectorDetails }): JSX.Element {
  const { row } = details;
  const { data } = useGroup();
  return (
    <dl class="fact-list" aria-label="About the connector">
      <Fact label="State">
        <SummaryBadge row={row} />
      </Fact>
      <Fact label="Since">
        <Age at={row.since} />
      </Fact>
      <Fact label="Rate">
        <span class="rate-fact">
          <span class="number">{formatRate(row.rate)}</span>
          {data && <Sparkline rates={data.rates.get(row.name) ?? NO_RATES} stepMs={data.historyStepMs} />}
        </span>
      </Fact>
      <Fact label="Lag">
        <span class="number">{formatLag(row.lag).join(' · ') || UNKNOWN}</span>
      </Fact>
      <Fact label="Worker">
        {row.worker === '' ? UNKNOWN : <Name>{row.worker}</Name>}
        {row.isWorkerGone && <span class="sub warn">not in the group any more</span>}
      </Fact>
      <Fact label="Type">{row.type}</Fact>
      <Fact label="Version">{row.version === null ? UNKNOWN : <Name>{row.version}</Name>}</Fact>
      <Fact label="Class">
        <Text>{row.className}</Text>
      </Fact>
    </dl>
  );
}

export function Fact({
  label,
  children,
}: {
  readonly label: string;
  readonly children: ComponentChildren;
}): JSX.Element {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}
