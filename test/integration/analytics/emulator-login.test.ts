/** The official SDK's own login to the emulator over TLS. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { startAnalyticsEmulator } from '../../../dev/analytics-emulator';
import { issueCertificate } from '../../../dev/services/certificates';

test('analytics-sink 59: client credentials through tenant adfs, with certificates of a private CA', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'millrace-analytics-'));
  const authority = issueCertificate({ name: 'authority', issuer: null });
  const tls = issueCertificate({ name: 'emulator', issuer: authority, hosts: ['127.0.0.1', 'localhost'] });
  const emulator = await startAnalyticsEmulator({
    tls,
    application: { tenant: 'tenant', id: 'app', secret: 'canary-8271' },
  });
  try {
    const [ca, file] = [join(folder, 'ca.pem'), join(folder, 'row.csv')];
    await writeFile(ca, authority.cert);
    await writeFile(file, 'x,1\n');
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(__dirname, 'sdk-login.mjs'), emulator.url, file],
      {
        env: {
          PATH: process.env.PATH,
          NODE_EXTRA_CA_CERTS: ca,
          AZURE_AUTHORITY_HOST: emulator.url,
          APP_SECRET: 'canary-8271',
        },
        timeout: 120_000,
      },
    );
    expect(stdout).toBe('[["x",1]]\n');
    expect(emulator.requests).toContainEqual(expect.stringMatching(/^POST \/adfs\/oauth2\/token/));
  } finally {
    await emulator.stop();
    await rm(folder, { recursive: true, force: true });
  }
});
