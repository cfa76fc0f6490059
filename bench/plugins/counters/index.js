/**
 * Counts in each partition of a topic, from the stored offset: a consumer sees 1, 2, 3 … there if delivery is exactly
 * once. The `counters` partitions are shared between the tasks, so that a change of their number moves partitions to
 * tasks with another transactional id.
 */
exports.source = {
  type: 'source',
  config: [],
  create: ({ counters, topic }) => ({
    taskConfigs: (max) =>
      Array.from({ length: max }, (_, task) => ({
        topic,
        partitions: Array.from({ length: Number(counters) }, (_, partition) => partition)
          .filter((partition) => partition % max === task)
          .join(),
      })),
  }),
  createTask() {
    let topic;
    let counters;
    return {
      async start(config, context) {
        topic = config.topic;
        const partitions = config.partitions.split(',').map((counter) => ({ counter: Number(counter) }));
        const offsets = await context.offsets.offsets(partitions);
        counters = partitions.map((partition, i) => ({ partition, n: Number(offsets[i]?.n ?? 0) }));
      },
      async poll() {
        await new Promise((resolve) => setTimeout(resolve, 5));
        return counters.map((counter) => ({
          sourcePartition: counter.partition,
          sourceOffset: { n: ++counter.n },
          topic,
          partition: counter.partition.counter,
          keySchema: null,
          key: null,
          valueSchema: null,
          value: counter.n,
        }));
      },
      stop() {},
    };
  },
};
