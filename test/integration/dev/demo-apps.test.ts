/** The demos of apps/, run as in the README, after a build. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { ROOT } from '../../../dev/services/paths';
import { whyNoRedis } from '../../../dev/services/redis/program';

const run = promisify(execFile);
const demo = async (name: string) =>
  (await run(process.execPath, ['-r', './dev/register.js', `dev/demos/${name}.ts`], { cwd: ROOT })).stdout;

test('npm run demo:slash shows a signed command, an unsigned one, and an error', async () => {
  const shown = await demo('slash-image');
  expect(shown).toContain('"image_url":"https://media0.giphy.com/media/cat/giphy-downsized.gif"');
  expect(shown.match(/→ 401/g)).toHaveLength(2);
  expect(shown).toContain('Too many requests to the image service');
});

(whyNoRedis() === null ? test : test.skip)(
  'npm run demo:users shows a user, an unknown user, and an outage of Redis',
  async () => {
    const shown = await demo('users');
    expect(shown).toContain('→ 200  {"email":"user1@foo.com","name":"user1"}');
    expect(shown).toContain('→ 404  user does not exist none@b.com');
    expect(shown).toContain('→ 503, Retry-After: 1');
    expect(shown).toContain('It exited after SIGTERM with code 0');
  },
);
