/** The Jest test of the page for plugin authors, run by Jest in a separate folder as theirs would be. */
import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../dev/services/paths';
import { writeConnectorPage } from '../../helpers/connector-page';

test('kafka-client 4: a plugin author tests a connector in a worker, on a broker inside the test that loses answers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-doc-'));
  try {
    writeConnectorPage(folder);
    await symlink(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    const programs = join(folder, 'bin');
    const millrace = join(programs, 'millrace');
    await mkdir(programs);
    await writeFile(millrace, `#!/bin/sh\nexec "${process.execPath}" "${join(ROOT, 'dist', 'main.js')}" "$@"\n`);
    await chmod(millrace, 0o755);
    const { BOOTSTRAP_SERVERS: _shared, JEST_WORKER_ID: _ours, ...env } = process.env;
    const args = [join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'), '--ci', '--testTimeout', '60000'];
    args.push('--transform', '{}', 'worker.test.js');
    const { stderr } = await promisify(execFile)(process.execPath, args, {
      cwd: folder,
      env: { ...env, PATH: `${programs}${delimiter}${process.env.PATH}` },
    });
    expect(stderr).toMatch(/✓ no tick is missing when Kafka takes records and its answers are lost/);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
