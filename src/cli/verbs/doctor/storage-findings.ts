/** The settings of the storage topics. Pure. Source: connect-runtime §1.2. */
import { shellQuote } from '@millrace/cli/terminal';
import { valueOf } from './deadline';
import type { KafkaFacts, StorageFacts } from './kafka-facts';
import { requestFinding } from './kafka-findings';
import type { DoctorFinding } from './report';

const PURPOSE = { config: 'connector configurations', offset: 'source offsets', status: 'statuses' } as const;
/** A cluster of this size can keep a copy on several brokers. */
const SEVERAL_BROKERS = 3;

export function storageFindings(facts: KafkaFacts): DoctorFinding[] {
  return [...sharedTopics(facts), ...facts.storage.flatMap((storage) => topicFindings(storage, facts))];
}

function sharedTopics({ storage }: KafkaFacts): DoctorFinding[] {
  const names = storage.map(({ wanted }) => wanted.topic);
  return [...new Set(names.filter((name, i) => names.indexOf(name) !== i))].map((name) => ({
    severity: 'error',
    code: 'STORAGE_TOPIC_SHARED',
    subject: `topic ${name}`,
    message: `The topic ${name} is named by more than one of config.storage.topic, offset.storage.topic and status.storage.topic.`,
    cure: 'Give each of them a topic of its own.',
  }));
}

function topicFindings({ kind, wanted, topic, settings }: StorageFacts, facts: KafkaFacts): DoctorFinding[] {
  const { toolOptions } = facts;
  const subject = `topic ${wanted.topic}`;
  const acl = `--operation Describe --operation DescribeConfigs --operation Read --operation Write --topic ${shellQuote(wanted.topic)}`;
  if ('failed' in topic) return [requestFinding(subject, topic.failed, toolOptions, acl)];
  if (topic.value === null) return [missing(kind, wanted, facts)];
  const found: DoctorFinding[] = [];
  const { partitions } = topic.value;
  if (kind === 'config' && partitions.length !== 1)
    found.push({
      severity: 'error',
      code: 'STORAGE_TOPIC_PARTITIONS',
      subject,
      message: `The config topic has ${partitions.length} partitions instead of one, so changes of configurations have no order.`,
      cure: 'Partitions cannot be removed: create another topic, set config.storage.topic on all workers, and register the connectors again.',
      statements: [createStatement(facts, { ...wanted, topic: `${wanted.topic}-1` }, 1)],
    });
  const offline = partitions.filter(({ leader }) => leader < 0);
  if (offline.length > 0)
    found.push({
      severity: 'error',
      code: 'STORAGE_TOPIC_OFFLINE',
      subject,
      message: `${offline.length} of ${partitions.length} partitions have no leader, so ${PURPOSE[kind]} cannot be read or written.`,
      cure: 'Start the brokers that have their replicas; see which with',
      statements: [`kafka-topics.sh ${toolOptions} --describe --topic ${shellQuote(wanted.topic)}`],
    });
  if ('failed' in settings)
    return [...found, ...replication(undefined), requestFinding(subject, settings.failed, toolOptions, acl)];
  return [...found, ...cleanup(settings.value), ...replication(settings.value['min.insync.replicas'])];

  function cleanup(configs: Readonly<Record<string, string | null>>): DoctorFinding[] {
    const policy = configs['cleanup.policy'];
    const policies = new Set((policy ?? 'compact').split(',').map((one) => one.trim().toLowerCase()));
    const issues: DoctorFinding[] = [];
    if (policies.size !== 1 || !policies.has('compact')) {
      const retention = Number(configs['retention.ms'] ?? -1);
      const after = retention >= 0 ? ` after ${Math.round(retention / 3_600_000)} hours (retention.ms)` : '';
      const effect = policies.has('delete')
        ? `so Kafka deletes ${PURPOSE[kind]}${after}`
        : `so ${PURPOSE[kind]} are not compacted`;
      issues.push({
        severity: 'error',
        code: 'STORAGE_TOPIC_CLEANUP_POLICY',
        subject,
        message: `Its cleanup.policy is ${policy} instead of compact, ${effect}.`,
        cure: 'Change it now; what was deleted is lost.',
        statements: [alter('cleanup.policy=compact')],
      });
    }
    if (configs['unclean.leader.election.enable'] === 'true')
      issues.push({
        severity: 'warning',
        code: 'STORAGE_TOPIC_UNCLEAN',
        subject,
        message: `A replica that is behind may become leader (unclean.leader.election.enable=true), which loses ${PURPOSE[kind]}.`,
        cure: 'Turn it off for this topic.',
        statements: [alter('unclean.leader.election.enable=false')],
      });
    return issues;
  }

  function replication(minimum: string | null | undefined): DoctorFinding[] {
    const replicas = Math.min(...partitions.map((partition) => partition.replicas.length));
    const brokers = valueOf(facts.cluster)?.brokers.map(({ id }) => id) ?? [];
    const insync = Number(minimum ?? 1);
    if (replicas < insync)
      return [
        {
          severity: 'error',
          code: 'STORAGE_TOPIC_REPLICATION',
          subject,
          message: `It has ${replicas} replica(s) and min.insync.replicas=${insync}, so Kafka rejects every write.`,
          cure: 'Lower the setting, or add replicas.',
          statements: [alter(`min.insync.replicas=${Math.max(1, replicas - 1)}`)],
        },
      ];
    if (replicas === 1 && brokers.length >= SEVERAL_BROKERS)
      return [
        {
          severity: 'warning',
          code: 'STORAGE_TOPIC_REPLICATION',
          subject,
          message: `It has one replica in a cluster of ${brokers.length} brokers: ${PURPOSE[kind]} are lost with that broker.`,
          cure: 'Add replicas.',
          statements: [reassign(topicPartitions(brokers.slice(0, SEVERAL_BROKERS)))],
        },
      ];
    if (replicas > 1 && replicas === insync)
      return [
        {
          severity: 'warning',
          code: 'STORAGE_TOPIC_REPLICATION',
          subject,
          message: `It has ${replicas} replicas and min.insync.replicas=${insync}, so Kafka rejects writes while one broker is away.`,
          cure: 'Lower the setting, or add replicas.',
          statements: [alter(`min.insync.replicas=${replicas - 1}`)],
        },
      ];
    return [];
  }

  function topicPartitions(replicas: readonly number[]): readonly object[] {
    return partitions.map(({ partition, replicas: [leader] }) => ({
      topic: wanted.topic,
      partition,
      replicas: [...new Set([...(leader === undefined ? [] : [leader]), ...replicas])].slice(0, SEVERAL_BROKERS),
    }));
  }

  function alter(config: string): string {
    return `kafka-configs.sh ${toolOptions} --alter --entity-type topics --entity-name ${shellQuote(wanted.topic)} --add-config ${config}`;
  }

  function reassign(list: readonly object[]): string {
    const json = JSON.stringify({ version: 1, partitions: list });
    // Without --additional, the tool refuses while another reassignment is under way, such as the previous topic's.
    return `echo ${shellQuote(json)} > reassignment.json && kafka-reassign-partitions.sh ${toolOptions} --reassignment-json-file reassignment.json --execute --additional`;
  }
}

function missing(kind: StorageFacts['kind'], wanted: StorageFacts['wanted'], facts: KafkaFacts): DoctorFinding {
  const isUsed = (valueOf(facts.group)?.members.length ?? 0) > 0;
  const partitions = kind === 'config' ? 1 : wanted.partitions;
  return {
    severity: isUsed ? 'error' : 'warning',
    code: 'STORAGE_TOPIC_MISSING',
    subject: `topic ${wanted.topic}`,
    message: `The topic of ${kind}.storage.topic does not exist${isUsed ? ', although workers run: they use other storage topics, or it was deleted' : '; the first worker creates it'}.`,
    cure: isUsed
      ? 'Compare the settings of the workers; or, if it was deleted, create it and restart them.'
      : 'Start a worker, or create it.',
    statements: [createStatement(facts, wanted, partitions)],
  };
}

function createStatement({ toolOptions }: KafkaFacts, wanted: StorageFacts['wanted'], partitions: number): string {
  const replicas = wanted.replicationFactor < 1 ? '' : ` --replication-factor ${wanted.replicationFactor}`;
  const count = partitions < 1 ? '' : ` --partitions ${partitions}`;
  return `kafka-topics.sh ${toolOptions} --create --topic ${shellQuote(wanted.topic)}${count}${replicas} --config cleanup.policy=compact`;
}
