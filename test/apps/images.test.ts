/** Checks the Dockerfiles of the programs as text, without a container engine. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../dev/services/paths';

test.each([
  ['users', 'apps/users/dist/main.js', 'main.ts'],
  ['slash-image', 'dist/adapter/main.js', 'adapter/main.ts'],
])('the image of %s runs %s as a non-root user, without npm, and has a health check', (app, program, source) => {
  const lines = readFileSync(join(ROOT, 'apps', app, 'Dockerfile'), 'utf8').split('\n');
  const last = lines.slice(lines.findLastIndex((line) => line.startsWith('FROM')));
  expect(last).toEqual(expect.arrayContaining(['USER node', 'EXPOSE 8080', 'STOPSIGNAL SIGTERM']));
  expect(last.join('\n')).toMatch(/HEALTHCHECK[^]*\/healthz/);
  expect(last.at(-2)).toContain(`CMD ["node", "${program}"`);
  expect(existsSync(join(ROOT, 'apps', app, 'src', source))).toBe(true);
});
