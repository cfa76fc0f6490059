/** A worker with exactly the arguments, environment and files of the chart's pod does what the chart expects of it. */
import { join } from 'node:path';
import { startEmbedded } from '../../../dev/services/embedded';
import { freePort } from '../../../dev/services/free-port';
import { manifestsIn, template, workersOf, type Manifest } from './chart/chart';
import { testWithHelm, useHelm } from './chart/tools';
import { makeIdentity } from '../../kafka/certificates';
import { fileSinkConfig } from '../../helpers/file-sink-config';
import { httpCall } from '../../helpers/http-call';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';
import { Pod } from './pod';

const releases = useHelm();
const render = (values: object): Manifest[] => manifestsIn(template(releases().at(-1) as string, values));

async function valuesFor(bootstrapServers: string, more: object = {}): Promise<{ rest: { port: number } }> {
  return {
    kafka: { bootstrapServers },
    group: { id: uniqueName('chart') },
    rest: { port: await freePort() },
    ...more,
  } as { rest: { port: number } };
}

testWithHelm('a worker that waits for Kafka is alive but not ready, and SIGTERM stops it', async () => {
  const manifests = render(await valuesFor(`127.0.0.1:${await freePort()}`));
  const pod = await Pod.start(manifests, workersOf(manifests));
  await pod.probeSucceeds('startupProbe');
  await waitFor('the log to say why', () => pod.process.log().includes('Kafka has not answered yet'));
  expect(await pod.probe('readinessProbe')).toBe(503);
  expect(await pod.probe('livenessProbe')).toBe(200);
  expect(await pod.stop()).toBe(0);
});

testWithHelm('the worker becomes ready, and the Job registers connectors whose passwords are in a Secret', async () => {
  const topic = uniqueName('topic');
  const values = await valuesFor(process.env.BOOTSTRAP_SERVERS ?? '', {
    secretFiles: [{ name: 'sink', secretName: 'sink-settings' }],
    connectors: {
      sink: fileSinkConfig(topic, '${file:/etc/millrace/secrets/sink/sink.properties:file}'),
    },
  });
  const manifests = render(values);
  const pod = await Pod.start(manifests, workersOf(manifests), {
    secrets: { 'sink-settings': { 'sink.properties': 'file=/data/files/lines.txt\n' } },
  });
  await pod.probeSucceeds('readinessProbe');
  const job = manifests.find(({ kind }) => kind === 'Job') as Manifest;
  const registration = await Pod.start(manifests, job, { hosts: { 'r-millrace': '127.0.0.1' }, root: pod.root });
  expect(`${await registration.completed()}: ${registration.process.log()}`).toMatch(/^0: /);
  await registration.stop();
  const url = `http://127.0.0.1:${values.rest.port}`;
  const status = (await (await fetch(`${url}/connectors/sink/status`)).json()) as { tasks: { worker_id: string }[] };
  expect(status).toMatchObject({ connector: { state: 'RUNNING' }, tasks: [{ state: 'RUNNING' }] });
  // A web page that has rebound its own name to the Service reads nothing; clients use the Service's name.
  const rebound = { Host: `attacker.example:${values.rest.port}`, Origin: 'http://attacker.example' };
  expect((await httpCall(`${url}/connectors`, { method: 'POST', headers: rebound })).status).toBe(403);
  expect((await httpCall(`${url}/connectors?expand=info`, { headers: rebound })).status).toBe(403);
  const named = { Host: `r-millrace.data.svc:${values.rest.port}` };
  expect((await httpCall(`${url}/connectors`, { headers: named })).status).toBe(200);
  expect(pod.process.log()).not.toContain('REST_HOSTS_UNCHECKED');
  // A file connector cannot read the Secret, nor another file of the pod.
  for (const file of [join(pod.root, 'etc/millrace/secrets/sink/sink.properties'), '/etc/passwd']) {
    const config = { 'connector.class': 'FileStreamSource', topic, file };
    const body = JSON.stringify({ name: 'thief', config });
    const headers = { 'Content-Type': 'application/json' };
    const refused = await httpCall(`${url}/connectors`, { method: 'POST', headers, body });
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('that the worker setting')]);
  }
  // The address that the downward API gives.
  expect(status.tasks[0]?.worker_id).toBe(`127.0.0.1:${values.rest.port}`);
  expect(await (await fetch(`${url}/metrics`)).text()).toContain('kafka_connect_connect_worker_metrics_task_count 1');
  expect(await pod.stop()).toBe(0);
});

testWithHelm('TLS with a client certificate, and SASL, with credentials from Secrets', async () => {
  const ca = makeIdentity('CA', null);
  const server = makeIdentity('broker', ca, '127.0.0.1');
  const client = makeIdentity('worker', ca);
  const broker = await startEmbedded({
    settings: {
      tls: { key: server.key, cert: server.cert, ca: ca.cert, requestCert: true, rejectUnauthorized: true },
      users: { connect: 'pa"ss' },
    },
  });
  const module = 'org.apache.kafka.common.security.plain.PlainLoginModule';
  const secrets = {
    'kafka-client': { 'ca.crt': ca.cert, 'tls.crt': client.cert, 'tls.key': client.key },
    'kafka-login': { 'sasl.jaas.config': `${module} required username="connect" password="pa\\"ss";\n` },
  };
  try {
    const topic = uniqueName('topic');
    const tls = { enabled: true, existingSecret: 'kafka-client', certificateKey: 'tls.crt', privateKeyKey: 'tls.key' };
    const sasl = { mechanism: 'PLAIN', existingSecret: 'kafka-login' };
    const kafka = { bootstrapServers: broker.bootstrapServers, tls, sasl };
    const values = await valuesFor('', { kafka });
    const manifests = render(values);
    const pod = await Pod.start(manifests, workersOf(manifests), { secrets });
    await pod.probeSucceeds('readinessProbe');
    // The clients of connectors have prefixed settings of their own.
    const url = `http://127.0.0.1:${values.rest.port}/connectors`;
    const body = JSON.stringify({
      name: 'sink',
      config: fileSinkConfig(topic, join(pod.root, 'data/files/lines.txt')),
    });
    const created = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
    expect(created.status).toBe(201);
    await waitFor('the task to run', async () =>
      (await (await fetch(`${url}/sink/status`)).text()).includes('"id":0,"state":"RUNNING"'),
    );
    expect(pod.process.log()).not.toContain('pa"ss');
    expect(await pod.stop()).toBe(0);
  } finally {
    await broker.stop();
  }
});
