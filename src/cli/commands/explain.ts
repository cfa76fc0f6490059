import type { CommandSpec } from '../program/command-spec';

export const command: CommandSpec = {
  name: 'explain',
  summary: 'explain an error code: what happened, what to do',
  description:
    'Explain an error code: what happened, and what to do. The text may be a message or a trace that contains codes.',
  arguments: [{ name: '<text...>', description: 'the code, or a text that contains it' }],
  shared: ['output'],
  examples: [
    { command: 'explain TASK_STUCK', explanation: 'One code' },
    {
      command: "explain 'millrace: No answer from http://localhost:8083 (REST_UNREACHABLE)'",
      explanation: 'A message that was printed or logged',
    },
  ],
  load: () => require('../explain/explain') as typeof import('../explain/explain'),
};
