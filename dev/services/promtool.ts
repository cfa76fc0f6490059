/** `promtool` and `prometheus`, which Debian's package `prometheus` has. */
import { spawnSync } from 'node:child_process';

const INSTALL =
  'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends prometheus';

/** Null if both run, otherwise an error message that says how to install them. */
function whyNoPrometheus(): string | null {
  const runs = (program: string): boolean => spawnSync(program, ['--version']).status === 0;
  return runs('promtool') && runs('prometheus')
    ? null
    : 'promtool does not run on this machine: install prometheus (Debian: apt-get install prometheus)';
}

/** Installs it with apt-get if it is missing and this process is root. Returns `whyNoPrometheus()` afterwards. */
export function installPrometheus(): string | null {
  const missing = whyNoPrometheus();
  if (missing === null || process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return missing;
  spawnSync('/bin/sh', ['-c', INSTALL], { stdio: 'ignore' });
  return whyNoPrometheus();
}
