import { TopicSubscription } from '../../../src/kafka/consumer/topic-subscription';
import type { Wire } from '../../../src/kafka/wire';

test('an expression is held against names that Kafka may have, of 249 characters at most', async () => {
  const names = ['a'.repeat(249), 'b'.repeat(250), 'c'];
  const wire: Pick<Wire, 'allTopics'> = { allTopics: () => Promise.resolve(names) };
  const subscription = new TopicSubscription(/^.*$/, wire as Wire);
  expect(await subscription.evaluate()).toBe(true);
  expect(subscription.topics).toEqual(['a'.repeat(249), 'c']);
});
