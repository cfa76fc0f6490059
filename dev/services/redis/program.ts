import { spawnSync } from 'node:child_process';

const HOW_TO_GET_IT = 'install redis-server 7 or newer (Debian: apt-get install redis-server)';
const INSTALL =
  'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends redis-server';

/** Null if redis-server and redis-cli are installed, otherwise an error message that says how to install them. */
export function whyNoRedis(): string | null {
  const runs = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
  return runs('redis-server') && runs('redis-cli')
    ? null
    : `redis-server does not run on this machine: ${HOW_TO_GET_IT}`;
}

/**
 * Installs redis-server with apt-get if it is missing and this process is root. Returns `whyNoRedis()` afterwards.
 */
export function installRedis(): string | null {
  const missing = whyNoRedis();
  if (missing === null || process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return missing;
  spawnSync('/bin/sh', ['-c', INSTALL], { stdio: 'ignore' });
  return whyNoRedis();
}
