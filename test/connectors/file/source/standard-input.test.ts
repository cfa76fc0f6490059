import { PassThrough } from 'node:stream';
import { StandardInput } from '../../../../connectors/file/src/source/standard-input';

test('a failing stream', async () => {
  const stream = new PassThrough();
  const input = new StandardInput(stream);
  expect(await input.read(Buffer.alloc(4))).toBe('nothing');
  stream.destroy(new Error('EIO: i/o error'));
  await new Promise((resolve) => stream.once('close', resolve));
  await expect(input.read(Buffer.alloc(4))).rejects.toMatchObject({
    code: 'FILE_SOURCE_READ',
    message: 'Cannot read standard input: EIO: i/o error.',
  });
});
