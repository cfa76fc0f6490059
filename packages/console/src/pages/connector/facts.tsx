/** What a connector is, where it runs and how fast. */
import type { ComponentChildren, JSX } from 'preact';
import type { ConnectorDetails, ConnectorJvm } from '../../worker-api';
import { Age } from '../../parts/age';
import { SummaryBadge } from '../../parts/badge';
import { formatLag, formatRate, UNKNOWN } from '../../parts/format';
import { useGroup } from '../../parts/overview-store';
import { runsInText } from '../../parts/plugin-versions';
import { Sparkline } from '../../parts/rate-chart';
import { Name, Text } from '../../parts/text';
import { jvmFacts } from './jvm-facts';

/** The figures of the others are in the metrics. */
const MOST_JVMS = 8;
const NO_RATES: readonly (number | null)[] = [];

export function Facts({ details }: { readonly details: ConnectorDetails }): JSX.Element {
  const { row, plugin, jvms } = details;
  const version = plugin ? plugin.version : row.version;
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
      <Fact label="Version">{version === null ? UNKNOWN : <Name>{version}</Name>}</Fact>
      <Fact label="Runs in">{runsInText(plugin?.runsIn) ?? UNKNOWN}</Fact>
      {jvms.length > 0 && (
        <Fact label={jvms.length === 1 ? 'Its JVM' : 'Its JVMs'}>
          <ul class="jvm-facts">
            {jvms.slice(0, MOST_JVMS).map((jvm) => (
              <JvmFact key={jvm.worker} jvm={jvm} />
            ))}
            {jvms.length > MOST_JVMS && <li class="muted">{`and on ${jvms.length - MOST_JVMS} more workers`}</li>}
          </ul>
        </Fact>
      )}
      <Fact label="Location">{plugin?.location == null ? UNKNOWN : <Text>{plugin.location}</Text>}</Fact>
      <Fact label="Class">
        <Text>{row.className}</Text>
      </Fact>
    </dl>
  );
}

function JvmFact({ jvm }: { readonly jvm: ConnectorJvm }): JSX.Element {
  const { text, problem } = jvmFacts(jvm);
  return (
    <li>
      <Name>{jvm.worker}</Name> <span class="muted">{text}</span>
      {problem !== null && <span class="sub warn">{problem}</span>}
    </li>
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
