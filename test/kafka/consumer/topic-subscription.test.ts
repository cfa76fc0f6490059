import { TopicSubscription } from '../../../packages/kafka-client/src/consumer/topic-subscription';
import type { Wire } from '../../../packages/kafka-client/src/wire';

test('topics.regex is matched against names of at most 249 characters', async () => {
  const names = ['a'.repeat(249), 'b'.repeat(250), 'c'];
  const wire: Pick<Wire, 'allTopics'> = { allTopics: () => Promise.resolve(names) };
  const subscription = new TopicSubscription(/^.*$/, wire as Wire);
  expect(await subscription.evaluate()).toBe(true);
  expect(subscription.topics).toEqual(['a'.repeat(249), 'c']);
});
