/**
 * The black-box REST cases on Millrace, on Millrace through a follower, and on Java's worker; the report goes to
 * reports/rest-cases.md.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { startJavaConnect } from '../../../dev/services/java-connect';
import { ROOT } from '../../../dev/services/paths';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { rows as pageRows } from '../../helpers/compatibility-page';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { disagreements, markdown, reportRows, type Column, type ReportRow } from '../rest/report';
import { runCases } from '../rest/runner';
import { CASE_SETTINGS, HEADER_SETTINGS } from '../rest/worker-settings';
import { describeWithJava } from './fixtures';

describeWithJava('REST cases side by side', () => {
  const workers: StartedWorker[] = [];
  let columns: readonly Column[] = [];
  let rows: readonly ReportRow[] = [];

  async function start(kind: 'ours' | 'java', group: string): Promise<StartedWorker> {
    const options = { group, settings: { ...HEADER_SETTINGS, ...CASE_SETTINGS } };
    const worker = await (kind === 'java' ? startJavaConnect(options) : startWorker(options));
    workers.push(worker);
    await worker.ready();
    return worker;
  }
  async function alone(kind: 'ours' | 'java'): Promise<Column> {
    const { url } = await start(kind, uniqueName('report'));
    const java = kind === 'java';
    const results = await runCases({ url, target: java ? 'java' : 'millrace', headers: true });
    return { name: kind === 'java' ? 'Java 4.3.1' : 'Millrace', java, results };
  }

  async function throughFollower(): Promise<Column> {
    const group = uniqueName('report');
    const both = [await start('ours', group), await start('ours', group)] as const;
    // Without forwarding, the leader answers 404 and the other one 409.
    const follower = await waitFor('one of two workers to follow', async () => {
      const answers = await Promise.all(both.map((one) => one.request('DELETE', '/connectors/none?forward=false')));
      const leads = answers.findIndex(({ status }) => status === 404);
      return leads >= 0 && answers[1 - leads]?.status === 409 && both[1 - leads];
    });
    const leader = both.find((one) => one !== follower);
    const results = await runCases({ url: follower.url, url2: leader?.url, headers: true });
    return { name: 'Millrace, through a follower', java: false, results };
  }

  beforeAll(async () => {
    // Each has a worker and topics of its own, and waits most of the time.
    columns = await Promise.all([alone('ours'), throughFollower(), alone('java')]);
    rows = reportRows(columns);
    const folder = join(ROOT, 'reports');
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'rest-cases.md'), markdown(rows, columns));
  }, 600_000);
  afterAll(() => Promise.all(workers.map((worker) => worker.stop())));

  test('every case passes on Millrace, alone and through a follower; on Java all except the documented differences', () => {
    const failed = columns.flatMap(({ name, results }) =>
      results.filter(({ state }) => state === 'failed').map(({ title, message }) => `${name}: ${title}\n${message}`),
    );
    expect(failed).toEqual([]);
    for (const { results } of columns) {
      expect(results.filter(({ state }) => state === 'passed').length).toBeGreaterThan(80);
    }
  });

  test('the differences are those of docs/compatibility.md', () => {
    expect(disagreements(rows, pageRows)).toEqual([]);
  });
});
