/** Chromium, which Debian's package of that name has. `CHROMIUM` names another program. */
import { spawnSync } from 'node:child_process';

/** Fonts, because a page without them has texts of no size. */
const PACKAGES = 'chromium fonts-dejavu-core';
const INSTALL = `apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends ${PACKAGES}`;

/** For a headless browser that contacts no other address than those of the tests. */
export const CHROMIUM_FLAGS: readonly string[] = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export function chromiumProgram(): string {
  return process.env.CHROMIUM ?? '/usr/bin/chromium';
}

/** Null if it runs, otherwise an error message that says how to install it. */
function whyNoChromium(): string | null {
  return spawnSync(chromiumProgram(), ['--version']).status === 0
    ? null
    : `${chromiumProgram()} does not run on this machine: install Chromium (Debian: apt-get install ${PACKAGES}), or name another one in CHROMIUM`;
}

/** Installs it with apt-get if it is missing and this process is root. Returns `whyNoChromium()` afterwards. */
export function installChromium(): string | null {
  const missing = whyNoChromium();
  if (missing === null || process.getuid?.() !== 0 || spawnSync('apt-get', ['--version']).status !== 0) return missing;
  spawnSync('/bin/sh', ['-c', INSTALL], { stdio: 'ignore' });
  return whyNoChromium();
}
