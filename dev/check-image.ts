/**
 * `npm run check:image`: runs the Dockerfile's steps in a clean copy of the last commit, without a container engine,
 * then its CMD with a Kafka broker until its HEALTHCHECK passes. Supports only the instruction forms used there.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { outputFileSync, removeSync } from 'fs-extra';
import { copyBuildContext, DECOYS } from './build-context';
import { freePort } from './services/free-port';
import { useOrStartKafka } from './services/kafka';
import { KeptProcess } from './services/kept-process';
import { ROOT } from './services/paths';
import { waitFor } from './services/wait-for';

const instructions = readFileSync(join(ROOT, 'Dockerfile'), 'utf8')
  .replaceAll('\\\n', ' ')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map((line) => {
    const [, name, rest] = /^(\S+)\s+(.*)$/.exec(line) as unknown as [string, string, string];
    return { name, rest };
  });

/** Content of the files that must not be in the image. */
const DECOY = 'kept-to-the-developer';

function run(command: string, cwd: string): void {
  console.log(`+ ${command}`);
  const { status } = spawnSync('/bin/sh', ['-c', command], { cwd, stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`${command} exited with status ${status}`);
}

/** The build context of a clone of the last commit, after adding files that must be excluded. */
function buildContext(clone: string, folder: string): void {
  run(`git clone -q ${ROOT} ${clone}`, tmpdir());
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

function copy(words: string[], from: string, to: string): void {
  const paths = words.filter((word) => !word.startsWith('--'));
  const target = join(to, paths.pop() as string);
  for (const path of paths) {
    const source = join(from, relative('/app', path));
    const isIntoFolder = existsSync(target) && paths.length > 1;
    cpSync(source, isIntoFolder ? join(target, basename(path)) : target, { recursive: true, verbatimSymlinks: true });
  }
}

async function check(build: string, image: string): Promise<void> {
  let stage = 0;
  let command: string[] = [];
  let health: string[] = [];
  for (const { name, rest } of instructions) {
    if (name === 'FROM') stage++;
    else if (name === 'RUN') run(rest, stage === 1 ? build : image);
    else if (name === 'COPY' && rest.startsWith('--from=build')) copy(rest.split(/\s+/), build, image);
    else if (name === 'HEALTHCHECK') health = JSON.parse(rest.slice(rest.indexOf('['))) as string[];
    else if (name === 'CMD') command = JSON.parse(rest) as string[];
  }
  noDecoys(image);
  run('du -sh .', image);

  const kafka = await useOrStartKafka();
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), 'millrace-image-'));
  const worker = new KeptProcess({
    command: '/bin/sh',
    args: ['-c', `cd ${image} && exec "$@"`, 'sh', ...command],
    folder,
    signal: 'TERM',
    env: {
      BOOTSTRAP_SERVERS: kafka.bootstrapServers,
      GROUP_ID: basename(folder),
      CONFIG_STORAGE_TOPIC: `${basename(folder)}-configs`,
      OFFSET_STORAGE_TOPIC: `${basename(folder)}-offsets`,
      STATUS_STORAGE_TOPIC: `${basename(folder)}-status`,
      CONNECT_LISTENERS: `http://127.0.0.1:${port}`,
    },
  });
  try {
    const env = { ...process.env, HEALTH_URL: `http://127.0.0.1:${port}/health` };
    await waitFor(
      'the HEALTHCHECK to pass',
      () => {
        if (worker.exitCode !== undefined) throw new Error(`the worker exited:\n${worker.log()}`);
        return spawnSync(health[0] as string, health.slice(1), { env }).status === 0;
      },
      { timeoutMs: 60_000, detail: () => worker.log().slice(-4000) },
    );
    const plugins = await (await fetch(`http://127.0.0.1:${port}/connector-plugins`)).text();
    for (const name of ['PostgresConnector', 'FileStreamSinkConnector'])
      if (!plugins.includes(name)) throw new Error(`${name} is not among the plugins: ${plugins}`);
    console.log(`healthy; plugins: ${plugins}`);
  } finally {
    await worker.stop();
    await kafka.stop();
  }
}

const place = mkdtempSync(join(tmpdir(), 'millrace-build-'));
const [build, image] = [join(place, 'build'), join(place, 'app')] as const;
buildContext(join(place, 'clone'), build);
mkdirSync(image);
check(build, image)
  .catch((error: Error) => {
    process.exitCode = 1;
    console.error(error.message);
  })
  .finally(() => removeSync(place));
