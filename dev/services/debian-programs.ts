/** Programs of Debian packages that tests need. As root they are installed with apt-get if they are missing. */
import { spawnSync } from 'node:child_process';

/** Null if all programs run afterwards, otherwise a message that says how to install them. */
function install(name: string, programs: readonly string[], version = '--version'): string | null {
  const runs = (program: string): boolean => spawnSync(program, [version]).status === 0;
  const canInstall = process.getuid?.() === 0 && runs('apt-get');
  if (!programs.every(runs) && canInstall) {
    const options = '-y -qq --no-install-recommends';
    const command = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install ${options} ${name}`;
    spawnSync('/bin/sh', ['-c', command], { stdio: 'ignore' });
  }
  const missing = programs.find((program) => !runs(program));
  return missing === undefined
    ? null
    : `${missing} does not run on this machine: install ${name} (Debian: apt-get install ${name})`;
}

export const installPrometheus = (): string | null => install('prometheus', ['promtool', 'prometheus']);
export const installSystemdAnalyze = (): string | null => install('systemd', ['systemd-analyze']);
export const installKcat = (): string | null => install('kcat', ['kcat'], '-V');
