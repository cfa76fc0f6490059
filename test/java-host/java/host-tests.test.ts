import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maven } from '../../../dev/services/java-host';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'millrace-java-host-tests-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

test("the Java host's own tests pass", async () => {
  const output = await maven([`-Dtarget=${join(folder, 'target')}`, `-Djars=${join(folder, 'jars')}`, 'test']);
  const totals = /Tests run: (\d+), Failures: 0, Errors: 0, Skipped: 0\s*$/m.exec(output);
  expect(Number(totals?.[1])).toBeGreaterThanOrEqual(40);
}, 300_000);
