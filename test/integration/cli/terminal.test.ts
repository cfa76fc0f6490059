/** Commands that behave differently on a terminal, on a real one. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ROOT } from '../../../dev/services/paths';
import { startWorker, type StartedWorker } from '../../../dev/services/worker';
import { hasTerminals, Terminal } from '../../helpers/terminal';
import { uniqueName } from '../../helpers/unique-name';
import { waitFor } from '../../helpers/wait-for';

const SHOW_CURSOR = '\x1b[?25h';

(hasTerminals ? describe : describe.skip)('on a terminal', () => {
  const group = uniqueName('terminal');
  let worker: StartedWorker;
  const terminals: Terminal[] = [];
  beforeAll(async () => {
    worker = await startWorker({ group });
    await worker.ready();
    const file = join(worker.folder, 'lines.txt');
    await writeFile(file, 'one\n');
    await worker.register({ name: 'lines', config: { 'connector.class': 'FileStreamSource', topic: group, file } });
    await worker.running('lines');
  });
  afterEach(() => terminals.splice(0).forEach((terminal) => terminal.kill()));
  afterAll(() => worker?.stop());

  function millrace(line: string): Terminal {
    const terminal = new Terminal(`"${process.execPath}" "${join(ROOT, 'dist', 'main.js')}" ${line}`, {
      PATH: process.env.PATH,
      HOME: worker.folder,
      TERM: 'xterm',
      MILLRACE_URL: worker.url,
    });
    terminals.push(terminal);
    return terminal;
  }

  test('delete asks: no, Ctrl-C and Ctrl-D delete nothing, yes deletes', async () => {
    for (const keys of ['n\r', '\x03', '\x04']) {
      const refused = millrace('delete lines');
      await refused.shows('Delete connector lines? [y/N] ');
      refused.type(keys);
      expect(await refused.exited()).toBe(1);
      expect(refused.shown).toContain('Nothing was done.');
    }
    await worker.running('lines');
    const accepted = millrace('delete lines');
    await accepted.shows('[y/N] ');
    accepted.type('y\r');
    expect(await accepted.exited()).toBe(0);
    expect(accepted.shown).toMatch(/lines deleted\r\n$/);
    expect((await worker.request('GET', '/connectors')).json).toEqual([]);
  });

  test.each(['status --watch --interval 1', 'top --interval 1'])('%s is redrawn until Ctrl-C', async (line) => {
    const watched = millrace(line);
    await waitFor('the third screen', () => watched.shown.split('\x1b[H').length > 3, { detail: () => watched.shown });
    watched.type('\x03');
    expect(await watched.exited()).toBe(0);
    expect(watched.shown).toContain(SHOW_CURSOR);
  });

  test('consume follows a topic until Ctrl-C, in colours', async () => {
    const followed = millrace(`consume ${group} --config "${join(worker.folder, 'worker.properties')}"`);
    await followed.shows('one');
    followed.type('\x03');
    expect(await followed.exited()).toBe(0);
    expect(followed.shown).toContain('\x1b[36m0:0\x1b[0m');
  });
});
