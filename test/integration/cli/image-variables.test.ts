import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../../../dev/services/paths';

interface Failure {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** A worker that ends at once, because its value converter does not exist. */
async function startWith(env: Record<string, string>): Promise<Failure> {
  const needed = { PATH: process.env.PATH, BOOTSTRAP_SERVERS: '127.0.0.1:1', VALUE_CONVERTER: 'com.example.Missing' };
  const args = [join(ROOT, 'dist', 'main.js'), 'start', join(ROOT, 'worker.properties')];
  return await promisify(execFile)(process.execPath, args, { env: { ...needed, ...env } }).then(
    () => Promise.reject(new Error('The worker has stopped without an error.')),
    (error: Failure) => error,
  );
}

test('variables of Java’s images: the log names those without an effect once, and the others count', async () => {
  const { code, stdout, stderr } = await startWith({
    LOG_LEVEL: 'warn',
    HEAP_OPTS: '-Xmx1g',
    CONNECT_LOG4J_APPENDER_STDOUT: 'secret',
  });
  expect(stderr).toContain('com.example.Missing');
  expect(code).toBe(1);
  const lines = stdout.split('\n').filter((line) => line.includes('Environment variables without effect'));
  expect(lines).toEqual([expect.stringContaining('in Millrace: CONNECT_LOG4J_APPENDER_STDOUT, HEAP_OPTS. See ')]);
  expect(stdout).not.toMatch(/ INFO |secret/);
});
