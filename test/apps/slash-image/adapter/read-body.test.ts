import { PassThrough } from 'node:stream';
import type { IncomingMessage } from 'node:http';
import { BodyBudget, readBody } from '../../../../apps/slash-image/src/adapter/read-body';

const PART = Buffer.alloc(1000);

test('a refused body takes no room for the bytes that arrive after its answer', async () => {
  const budget = new BodyBudget(2_000, 0);
  const other = budget.open();
  expect(other.grow(1_500)).toBe(true);

  const request = Object.assign(new PassThrough(), { headers: {} });
  const refused = budget.open();
  const body = readBody(request as unknown as IncomingMessage, 10_000, refused);
  request.write(PART);
  expect(await body).toBe('busy');
  refused.close();

  other.close();
  request.end(PART);
  await new Promise((resolve) => request.once('end', resolve));
  expect(budget.open().grow(2_000)).toBe(true);
});
