/** Two workers that reach each other only over HTTPS, with client certificates; users send requests over HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { issueCertificate } from '../../../dev/services/certificates';
import { freePort } from '../../../dev/services/free-port';
import { KeptProcess } from '../../../dev/services/kept-process';
import { ROOT } from '../../../dev/services/paths';
import { startedWorker, writeProperties, type StartedWorker } from '../../../dev/services/worker';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { makePkcs12 } from '../../kafka/certificates';

describe('HTTPS between workers', () => {
  const folder = mkdtempSync(join(tmpdir(), 'millrace-https-workers-'));
  const authority = issueCertificate({ name: 'authority', issuer: null });
  const identity = issueCertificate({ name: 'worker', issuer: authority, hosts: ['127.0.0.1'] });
  const workers: StartedWorker[] = [];
  afterAll(async () => {
    await Promise.all(workers.map((worker) => worker.stop()));
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(group: string, https: Record<string, string>): Promise<StartedWorker> {
    const [port, tlsPort, own] = [
      await freePort(),
      await freePort(),
      await mkdtemp(join(tmpdir(), 'millrace-worker-')),
    ];
    const properties = await writeProperties(own, port, {
      group,
      settings: {
        listeners: `http://127.0.0.1:${port},https://127.0.0.1:${tlsPort}`,
        'rest.advertised.listener': 'https',
        'heartbeat.interval.ms': '300',
        ...Object.fromEntries(Object.entries(https).map(([key, value]) => [`listeners.https.${key}`, value])),
      },
    });
    const args = [join(ROOT, 'dist', 'main.js'), 'start', properties];
    const env = { PATH: process.env.PATH, HOME: process.env.HOME };
    const kept = new KeptProcess({ command: process.execPath, args, folder: own, signal: 'TERM', env });
    const worker = startedWorker(`http://127.0.0.1:${port}`, own, kept);
    workers.push(worker);
    return worker;
  }

  test('connect-rest 154, §5.2: changes and task configs are forwarded over it, one worker with PKCS12 and one with PEM', async () => {
    const store = join(folder, 'worker.p12');
    const trust = join(folder, 'authority.pem');
    writeFileSync(store, makePkcs12(identity, 'pw', true));
    writeFileSync(trust, authority.cert);
    const required = { 'ssl.client.auth': 'required', 'ssl.truststore.location': trust };
    const group = uniqueName('https');
    const pkcs12 = { ...required, 'ssl.keystore.location': store, 'ssl.keystore.password': 'pw' };
    const pem = { ...required, 'ssl.keystore.certificate.chain': identity.cert, 'ssl.keystore.key': identity.key };
    const inline = (text: string): string => text.replaceAll(/\r?\n/g, ' ');
    const both = [
      await start(group, pkcs12),
      await start(group, {
        ...pem,
        'ssl.keystore.certificate.chain': inline(pem['ssl.keystore.certificate.chain']),
        'ssl.keystore.key': inline(pem['ssl.keystore.key']),
      }),
    ] as const;
    await Promise.all(both.map((worker) => worker.ready()));
    await waitFor('one to lead and one to follow', async () => {
      const answers = await Promise.all(both.map((one) => one.request('DELETE', '/connectors/none?forward=false')));
      return (
        answers
          .map(({ status }) => status)
          .sort()
          .join() === '404,409'
      );
    });
    for (const [index, worker] of both.entries()) {
      const config = { 'connector.class': 'FileStreamSink', topics: uniqueName('https'), file: '/dev/null' };
      await worker.register({ name: `sink-${index}`, config });
    }
    const statuses = await Promise.all([both[0].running('sink-1'), both[1].running('sink-0')]);
    // Each owns one connector: the follower had to forward its task configs to the leader.
    expect(new Set(statuses.map(({ connector }) => connector.worker_id)).size).toBe(2);
  });

  test('a store that cannot be opened fails startup with a sentence, before a port is open', async () => {
    const worker = await start(uniqueName('https'), { 'ssl.keystore.location': '/nowhere.p12' });
    expect(await worker.exited()).toBe(1);
    expect(worker.process.log()).toMatch(
      /^millrace: Worker setting "listeners\.https\.ssl\.keystore\.location" names a file that cannot be read: ENOENT.* \(WORKER_CONFIG_INVALID\)\n$/,
    );
  });
});
