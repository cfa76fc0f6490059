/** The newest records of a topic, through the connector's converters. */
import type { JSX } from 'preact';
import type { RecordPart, TopicRecord, TopicRecords } from '../../worker-api';
import { request } from '../../api/request';
import { parseJson, writeJson } from '../../documents/json-text';
import { Age } from '../../parts/age';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { formatClock, formatCount, formatNumberOf } from '../../parts/format';
import { Empty, ErrorNotice, Notice, Skeleton } from '../../parts/placeholders';
import { roleObjection } from '../../parts/roles';
import { useSession } from '../../parts/session';
import { Name, Text } from '../../parts/text';
import { Fold } from '../../parts/trace';
import { useLoaded } from '../../parts/use-loaded';
import { HeaderList, Part } from './record-parts';
import { detailsPath } from './use-connector';

export interface TopicRecordsViewProps {
  readonly name: string;
  readonly topic: string;
}

export function TopicRecordsView({ name, topic }: TopicRecordsViewProps): JSX.Element {
  const { role } = useSession();
  const objection = roleObjection(role, 'operator');
  if (objection)
    return (
      <Notice kind="unknown" title="Records are not shown">
        {objection}.
      </Notice>
    );
  return <Records name={name} topic={topic} />;
}

function Records({ name, topic }: TopicRecordsViewProps): JSX.Element {
  const {
    data: page,
    error,
    at,
    isLoading,
    reload,
  } = useLoaded<TopicRecords>(
    (signal) => request(detailsPath(name, `/records?topic=${encodeURIComponent(topic)}`), { signal }),
    `${name}\n${topic}`,
  );
  return (
    <section class="section" aria-labelledby="records">
      <div class="section-head">
        <h2 id="records">
          Last records of <Text>{topic}</Text>
        </h2>
        <span class="muted" role="status">
          {page && at !== null && `${page.records.length} of ${formatCount(page.total)}, read at ${formatClock(at)}`}
        </span>
        <Button isBusy={isLoading} onClick={reload}>
          Read again
        </Button>
      </div>
      {error && <ErrorNotice error={error} retry={reload} />}
      {page === null ? (
        error === null && <Skeleton />
      ) : page.records.length === 0 ? (
        <Empty title={page.total === 0 ? 'The topic has no records' : 'The worker could read none of its records'} />
      ) : (
        <ul class="records" aria-label="Records, newest first">
          {page.records.map((record) => (
            <Record key={`${record.partition}:${record.offset}`} record={record} />
          ))}
        </ul>
      )}
    </section>
  );
}

function Record({ record }: { readonly record: TopicRecord }): JSX.Element {
  const { partition, offset, at, key, value, headers, moreHeaders } = record;
  const name = `partition ${partition}, offset ${offset}`;
  const parts = [key, value, ...headers];
  return (
    <li class="record">
      <Fold
        summary={
          <span class="record-line">
            <span class="number">{`${partition}:${offset}`}</span>
            <span class="muted">
              <Age at={at} />
            </span>
            <Preview part={key} />
            <Preview part={value} />
            {parts.some(({ error }) => error !== null) && <Badge tone="failed">not converted</Badge>}
          </span>
        }
      >
        <div class="letter-record">
          <Part label={`key of ${name}`} title="Key" text={pretty(key)} error={key.error} />
          <Part label={`value of ${name}`} title="Value" text={pretty(value)} error={value.error} />
          {headers.length > 0 && <HeaderList label={`Headers of ${name}`} headers={headers} />}
          {moreHeaders > 0 && <p class="muted">{formatNumberOf(moreHeaders, 'more header')}</p>}
        </div>
      </Fold>
    </li>
  );
}

/** What fits on a line. */
const LONGEST_PREVIEW = 300;

function Preview({ part: { text } }: { readonly part: RecordPart }): JSX.Element {
  return text === null ? <span class="muted">null</span> : <Name>{text.slice(0, LONGEST_PREVIEW)}</Name>;
}

/** On several lines; a text that was shortened is no JSON any more. */
function pretty({ text, error }: RecordPart): string | null {
  if (text === null || error !== null) return text;
  try {
    return writeJson(parseJson(text));
  } catch {
    return text;
  }
}
