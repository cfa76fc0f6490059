/**
 * Durations and deadlines are measured by the monotonic clock: the wall clock may be set forward or back. These files
 * may read the wall clock, each because it needs the time of day.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const ROOT = join(__dirname, '..');

const SHOWN = 'a time that users are shown';
const RECORD = 'the time in a record or its envelope';
const FILES = 'compared with the times of files';
const OTHERS = 'compared with times of other processes';
/** Monotonic clocks of threads begin at different times. */
const THREADS = 'a time that the threads of a worker share through metrics or call clocks';
const TOKENS = 'tokens also expire while the machine sleeps';

const NEEDS_TIME_OF_DAY: Record<string, string> = {
  'packages/java-host/src/jvm/private-folder.ts': FILES,
  'src/rest/routes/worker-marks.ts': OTHERS,
  'src/cluster/forwarding/internal-marks.ts': OTHERS,
  'src/rest/http/header-rules.ts': 'HTTP dates',
  'src/rest/server.ts': SHOWN,
  'src/rest/console/connector-routes.ts': THREADS,
  'src/rest/console/lag-routes.ts': THREADS,
  'src/rest/reports/worker-report.ts': SHOWN,
  'src/rest/console/overview.ts': SHOWN,
  'src/rest/reports/group-reports.ts': OTHERS,
  'src/rest/console/connector-details.ts': SHOWN,
  'src/rest/console/topology.ts': SHOWN,
  'src/rest/console/history/history-recorder.ts': SHOWN,
  'src/rest/console/history/history-routes.ts': SHOWN,
  'src/tasks/sink/sink-puts.ts': THREADS,
  'src/tasks/call-clock.ts': THREADS,
  'src/tasks/reported-condition.ts': SHOWN,
  'src/tasks/session-lease.ts': 'a second deadline, for time in which the machine sleeps',
  'src/tasks/hosts/delivery-progress.ts': THREADS,
  'src/tasks/hosts/watchdog.ts': THREADS,
  'src/metrics/error-metrics.ts': SHOWN,
  'src/metrics/sampled-stat.ts': THREADS,
  'src/metrics/exposition.ts': THREADS,
  'src/metrics/time-in-states.ts': 'read at the time of the exposition',
  'src/metrics/process-monitor.ts': SHOWN,
  'src/metrics/group-metrics.ts': 'read at the time of the exposition',
  'src/logging/log-levels.ts': SHOWN,
  'packages/cli/src/output/watch.ts': SHOWN,
  'packages/cli/src/verbs/top.ts': OTHERS,
  'src/cli/verbs/dlq/letter-filter.ts': 'compared with timestamps of records',
  'src/cli/verbs/doctor/worker-facts.ts': 'compared with the Date header',
  'packages/kafka-client/src/consumer/read-ahead.ts': THREADS,
  'packages/kafka-client/src/consumer/fetcher.ts': THREADS,
  'packages/kafka-client/src/consumer/assigned-consumer.ts': THREADS,
  'packages/kafka-client/src/consumer/fetched-partition.ts': THREADS,
  'packages/kafka-client/src/consumer/group-consumer.ts': THREADS,
  'packages/kafka-client/src/consumer/offset-reset.ts': 'compared with timestamps of records',
  'packages/kafka-client/src/producer/sender.ts': THREADS,
  'packages/kafka-client/src/producer/producer.ts': RECORD,
  'packages/kafka-client/src/port.ts': 'a second deadline, for time in which the machine sleeps',
  'packages/kafka-client/src/security/oauth-bearer.ts': TOKENS,
  'src/cluster/running/status-reporter.ts': SHOWN,
  'src/cluster/history/change-history.ts': SHOWN,
  'src/cluster/group/membership.ts': SHOWN,
  'src/rest/health/group-health.ts': SHOWN,
  'src/cluster/running/automatic-restarts.ts': SHOWN,
  'src/cluster/queue/tick-stage.ts': SHOWN,
  'src/cluster/forwarding/session-key-keeper.ts': OTHERS,
  'src/plugins/watch/folder-tree.ts': FILES,
  'packages/console/src/parts/poll.ts': SHOWN,
  'packages/console/src/parts/clock.ts': OTHERS,
  'packages/console/src/parts/overview-store.ts': OTHERS,
  'packages/console/src/parts/use-loaded.ts': SHOWN,
  'connectors/file/src/source/task.ts': RECORD,
  'connectors/analytics/src/service/unavailable.ts': SHOWN,
  'connectors/file/src/sink/file-target.ts': 'names of files',
  'connectors/transforms-debezium/src/time-zones/timezone-converter.ts': 'the offset of a time zone now',
  'connectors/postgres/src/database/reachability.ts': SHOWN,
  'connectors/postgres/src/metrics/slot-watch.ts': "compared with the server's clock",
  'connectors/postgres/src/metrics/streaming-metrics.ts': "compared with the server's commit times",
  'connectors/postgres/src/metrics/task-metrics.ts': "compared with the server's commit times",
  'connectors/postgres/src/metrics/snapshot-metrics.ts': RECORD,
  'connectors/postgres/src/notifications/notifications.ts': RECORD,
  'connectors/postgres/src/events/logical-message.ts': RECORD,
  'connectors/postgres/src/events/event-factory.ts': RECORD,
  'connectors/postgres/src/replication/wal2json/wal2json-decoder.ts': RECORD,
  'connectors/postgres/src/replication/change-decoder.ts': RECORD,
  'connectors/postgres/src/replication/replication-stream.ts': 'the time in a status message to the server',
  'connectors/analytics/src/service/access-tokens.ts': TOKENS,
  'connectors/analytics/src/service/login.ts': TOKENS,
  'connectors/analytics/src/batcher/partition-batcher.ts': 'the age of records as a metric',
  'packages/embedded/src/log/segment-storage.ts': FILES,
  'packages/embedded/src/clock.ts': 'stored times of groups and transactions',
  'packages/embedded/src/broker.ts': RECORD,
  'packages/sdk/src/bounded-body.ts': 'compared with the Date header',
  'packages/sdk/src/plugin-metrics.ts': THREADS,
  'apps/slash-image/src/cli/sign.ts': 'the time in a signature',
  'apps/slash-image/src/cli/invoke.ts': 'the time in a signature',
  'apps/slash-image/src/function/handler.ts': 'the time in a signature',
};

const READS_WALL_CLOCK = /\bDate\.now\b|\bnew Date\(\)\.(?:getTime|valueOf)\b|\+new Date\(\)/;

function sources(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = posix.join(folder, entry.name);
    if (entry.isDirectory()) return ['node_modules', 'dist'].includes(entry.name) ? [] : sources(path);
    return /\.tsx?$/.test(entry.name) ? [path] : [];
  });
}

function readers(): string[] {
  const withoutComments = (file: string): string =>
    readFileSync(join(ROOT, file), 'utf8').replace(/\/\*[^]*?\*\/|^\s*\/\/.*$/gm, '');
  return ['src', 'connectors', 'packages', 'apps']
    .flatMap(sources)
    .filter((file) => READS_WALL_CLOCK.test(withoutComments(file)));
}

test('connect-runtime 112: only files that need the time of day read the wall clock', () => {
  expect(readers().sort()).toEqual(Object.keys(NEEDS_TIME_OF_DAY).sort());
});
