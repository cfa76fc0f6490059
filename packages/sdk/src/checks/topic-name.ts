import { ConnectError } from '../errors';

const TOPIC_NAME = /^(?!\.{1,2}$)[A-Za-z0-9._-]{1,249}$/;

/** Throws ConnectError `TOPIC_NAME_INVALID` for a name that Kafka does not accept. */
export function checkTopicName(topic: string): void {
  if (TOPIC_NAME.test(topic)) return;
  throw new ConnectError(
    `${JSON.stringify(topic.slice(0, 300))} is not a valid topic name: use 1 to 249 letters, digits, dots, underscores and dashes, or rename the topic with a transformation.`,
    { code: 'TOPIC_NAME_INVALID' },
  );
}
