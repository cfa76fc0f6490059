/** `millrace context list` */
import { writeAnswer } from '../output/answer';
import type { Invocation } from '../program/command-spec';
import { contextsPath, readContexts } from './contexts-file';

export function run(invocation: Invocation): number {
  const { current, contexts } = readContexts(invocation.io);
  const list = Object.entries(contexts).map(([name, context]) => ({ name, current: name === current, ...context }));
  if (list.length === 0) invocation.io.stderr.write(`No contexts in ${contextsPath(invocation.io)}.\n`);
  writeAnswer(invocation, list, () => ({
    headings: ['CURRENT', 'NAME', 'URL', 'CREDENTIALS', 'CONFIG'],
    rows: list.map(({ name, current: isCurrent, url, credentials, config }) => [
      isCurrent ? '*' : '',
      name,
      url,
      credentials ?? '',
      config ?? '',
    ]),
  }));
  return 0;
}
