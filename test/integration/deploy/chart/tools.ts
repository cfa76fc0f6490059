/** Tests with the tools of Kubernetes are skipped where these cannot be had. */
import { join } from 'node:path';
import { whyNoGo } from '../../../../dev/services/go-tools';
import { fetchHelm, helmReleases, whyNoHelm } from '../../../../dev/services/helm';

/** For hooks that download and build. */
export const BUILD_MS = 900_000;

const noHelm = whyNoHelm();
if (noHelm !== null) process.stderr.write(`SKIPPED: the chart is not rendered. ${noHelm}\n`);
export const testWithHelm = noHelm === null ? test : test.skip;

export const noGo = noHelm ?? whyNoGo();
if (noHelm === null && noGo !== null) process.stderr.write(`SKIPPED: kubeconform validates nothing. ${noGo}\n`);
export const testWithKubeconform = noGo === null ? test : test.skip;

/** Fetches Helm before the tests. Returns its programs, oldest first. */
export function useHelm(): () => readonly string[] {
  let programs: readonly string[] = [];
  beforeAll(async () => {
    if (noHelm !== null) return;
    const folder = await fetchHelm();
    programs = (await helmReleases()).map((release) => join(folder, release));
  }, BUILD_MS);
  return () => programs;
}
