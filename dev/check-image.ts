/**
 * `npm run check:image`: runs the Dockerfile's steps on the last commit, without a container engine, checks what is in
 * the image, and starts it as with a read-only root file system: `--version`, `dev`, and CMD with a Kafka broker.
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { outputFileSync, removeSync } from 'fs-extra';
import { copyBuildContext, DECOYS } from './build-context';
import { runBuildSteps, runCommand } from './images/build-steps';
import { imageConfig, stagesOf, type ImageConfig } from './images/dockerfile';
import { checkImageContents } from './images/image-contents';
import { ImageProcess, isProcess1 } from './images/image-process';
import { freePort } from './services/free-port';
import { useOrStartKafka } from './services/kafka';
import { ROOT } from './services/paths';
import { waitFor } from './services/wait-for';

/** Bounds of /app, which is the image without Node.js. */
const MAX_MB = 45;
const MAX_PACKAGES = 140;

/** Content of the files that must not be in the image. */
const DECOY = 'kept-to-the-developer';

/** The build context of a clone of the last commit, after adding files that must be excluded. */
function buildContext(clone: string, folder: string): void {
  runCommand(`git clone -q ${ROOT} ${clone}`, tmpdir());
  for (const path of DECOYS) {
    outputFileSync(join(clone, path), DECOY);
  }
  copyBuildContext(clone, folder);
  noDecoys(folder);
}

/** @throws Error that lists the files that should have been excluded from a folder */
function noDecoys(folder: string): void {
  const { status, stdout } = spawnSync('grep', ['-rl', '--exclude-dir=node_modules', DECOY, folder], {
    encoding: 'utf8',
  });
  if (status !== 1) throw new Error(`these files must be excluded: ${stdout}`);
}

function checkContents(image: string): void {
  noDecoys(image);
  const { bytes, packages } = checkImageContents(join(image, 'app'));
  const megabytes = bytes / 1e6;
  console.log(`/app: ${megabytes.toFixed(1)} MB, ${packages} packages`);
  if (megabytes > MAX_MB) throw new Error(`/app must not be larger than ${MAX_MB} MB`);
  if (packages > MAX_PACKAGES) throw new Error(`/app must not have more than ${MAX_PACKAGES} packages`);
}

async function checkVersion(image: string, config: ImageConfig): Promise<void> {
  const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
  const label = config.labels['org.opencontainers.image.version'];
  if (label !== version) throw new Error(`the label of the version is ${label} instead of ${version}`);
  const shown = spawnSync(join(image, 'app/bin/millrace'), ['--version'], { encoding: 'utf8' }).stdout;
  const process = new ImageProcess(image, config, ['--version'], {});
  try {
    const code = await process.exit();
    if (code !== 0 || !process.log().includes(version) || process.log() !== shown)
      throw new Error(`--version exited with ${code}: ${process.log()}; the command millrace: ${shown}`);
    console.log(`--version: ${shown.trim()}`);
  } finally {
    await process.remove();
  }
}

/** Starts a worker, waits for the HEALTHCHECK, and stops it with SIGTERM. */
async function checkWorker(
  image: string,
  config: ImageConfig,
  { args, env }: { args: readonly string[]; env: Readonly<Record<string, string>> },
): Promise<void> {
  const url = `http://127.0.0.1:${await freePort()}`;
  const worker = new ImageProcess(image, config, args, { ...env, CONNECT_LISTENERS: url });
  try {
    const healthEnv = { ...process.env, HEALTH_URL: `${url}/health` };
    await waitFor(
      'the HEALTHCHECK to pass',
      () => {
        if (worker.exitCode !== undefined) throw new Error(`the worker exited:\n${worker.log()}`);
        return spawnSync(config.health[0] as string, config.health.slice(1), { env: healthEnv }).status === 0;
      },
      { timeoutMs: 60_000, detail: () => worker.log().slice(-4000) },
    );
    const plugins = await (await fetch(`${url}/connector-plugins`)).text();
    for (const name of ['PostgresConnector', 'FileStreamSinkConnector', 'KustoSinkConnector'])
      if (!plugins.includes(name)) throw new Error(`${name} is not among the plugins: ${plugins}`);
    const code = await worker.terminate();
    if (code !== 0) throw new Error(`SIGTERM ended the worker with ${code}:\n${worker.log().slice(-4000)}`);
    console.log(`${args.join(' ')}: healthy; SIGTERM${isProcess1 ? ' to process 1' : ''} ended it with 0`);
  } finally {
    await worker.remove();
  }
}

async function checkStart(image: string, config: ImageConfig): Promise<void> {
  const kafka = await useOrStartKafka();
  const name = basename(mkdtempSync(join(tmpdir(), 'millrace-group-')));
  try {
    await checkWorker(image, config, {
      args: config.command,
      env: {
        BOOTSTRAP_SERVERS: kafka.bootstrapServers,
        GROUP_ID: name,
        CONFIG_STORAGE_TOPIC: `${name}-configs`,
        OFFSET_STORAGE_TOPIC: `${name}-offsets`,
        STATUS_STORAGE_TOPIC: `${name}-status`,
      },
    });
  } finally {
    removeSync(join(tmpdir(), name));
    await kafka.stop();
  }
}

/** Only the volume stays writable. */
function makeReadOnly(image: string): void {
  chmodSync(place, 0o755);
  runCommand('chmod -R a-w,a+rX app', image);
}

async function check(): Promise<void> {
  const context = join(place, 'context');
  buildContext(join(place, 'clone'), context);
  const stages = stagesOf(readFileSync(join(context, '../clone/Dockerfile'), 'utf8'));
  const config = imageConfig(stages.at(-1) as (typeof stages)[number]);
  const image = runBuildSteps(stages, { context, stages: place });
  checkContents(image);
  makeReadOnly(image);
  await checkVersion(image, config);
  const port = String(await freePort());
  await checkWorker(image, config, { args: ['dev'], env: { CONNECT_EMBEDDED_PORT: port } });
  await checkStart(image, config);
}

const place = mkdtempSync(join(tmpdir(), 'millrace-build-'));
check()
  .catch((error: Error) => {
    process.exitCode = 1;
    console.error(error.message);
  })
  .finally(() => {
    spawnSync('chmod', ['-R', 'u+w', place]);
    removeSync(place);
  });
