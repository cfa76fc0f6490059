/** A real Prometheus that scrapes workers, with the project's alert rules. */
import { cp, mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../services/free-port';
import { KeptProcess } from '../services/kept-process';
import { ROOT } from '../services/paths';
import { waitFor } from '../services/wait-for';

export const SCRAPE_SECONDS = 2;

export interface RunningPrometheus {
  readonly url: string;
  stop(): Promise<unknown>;
}

/** @param workers their URLs */
export async function startPrometheus(workers: readonly string[]): Promise<RunningPrometheus> {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-prometheus-'));
  await cp(join(ROOT, 'deploy', 'prometheus', 'alerts.yaml'), join(folder, 'alerts.yaml'));
  const targets = workers.map((worker) => `'${new URL(worker).host}'`);
  const config = `global: { scrape_interval: ${SCRAPE_SECONDS}s, evaluation_interval: ${SCRAPE_SECONDS}s }
rule_files: [alerts.yaml]
scrape_configs:
  - job_name: millrace
    static_configs: [{ targets: [${targets.join(', ')}] }]
`;
  await writeFile(join(folder, 'prometheus.yaml'), config);
  const address = `127.0.0.1:${await freePort()}`;
  const args = ['--config.file=prometheus.yaml', `--web.listen-address=${address}`, '--storage.tsdb.path=data'];
  const prometheus = new KeptProcess({ command: 'prometheus', args, folder, signal: 'KILL' });
  const isReady = async (): Promise<boolean> =>
    (await fetch(`http://${address}/-/ready`).catch(() => null))?.ok === true;
  await waitFor('Prometheus to be ready', isReady, { detail: () => prometheus.log() });
  return { url: `http://${address}`, stop: () => prometheus.stop() };
}
