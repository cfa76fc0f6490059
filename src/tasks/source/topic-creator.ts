/** Creates missing topics before a source task writes to them. Source: connect-runtime §4.5. */
import { ConnectError, RetriableError, messageOf } from '@millrace/sdk';
import { KafkaError, type Admin } from '@millrace/kafka-client';
import type { Logger } from '../../logging/logger';
import { newTopic, type TopicGroup } from './topic-creation-config';

const DENIED = ['TOPIC_AUTHORIZATION_FAILED', 'CLUSTER_AUTHORIZATION_FAILED', 'POLICY_VIOLATION'];

export class TopicCreator {
  private readonly known = new Set<string>();

  constructor(
    private readonly admin: Admin,
    private readonly groups: readonly TopicGroup[],
    private readonly logger: Logger,
  ) {}

  isKnown(topic: string): boolean {
    return this.known.has(topic);
  }

  /**
   * Looks the topic up even if it is known: the producer no longer knows a topic that was deleted.
   * Throws RetriableError while Kafka does not answer, ConnectError when the topic cannot be
   * created.
   */
  async ensure(topic: string): Promise<void> {
    try {
      if ((await this.admin.describeTopics([topic])).length === 0) await this.create(topic);
      this.known.add(topic);
    } catch (error) {
      if (error instanceof KafkaError && error.retriable) {
        throw new RetriableError(`Topic ${topic} could not be looked up or created: ${messageOf(error)}`, {
          cause: error,
          place: { topic },
        });
      }
      const hint =
        error instanceof KafkaError && DENIED.includes(error.code)
          ? 'The worker is not allowed to create it: create the topic by hand or grant CREATE.'
          : 'Check the topic.creation.* settings.';
      throw new ConnectError(`Topic ${topic} could not be created: ${messageOf(error)}. ${hint}`, {
        code: 'TOPIC_CREATION_FAILED',
        cause: error,
        place: { topic },
      });
    }
  }

  private async create(topic: string): Promise<void> {
    const wanted = newTopic(this.groups, topic);
    const created = await this.admin.createTopics([wanted]);
    if (created.length === 0) return;
    this.logger.info(`Created topic ${topic}`, {
      partitions: wanted.partitions,
      replicationFactor: wanted.replicationFactor,
    });
  }
}
