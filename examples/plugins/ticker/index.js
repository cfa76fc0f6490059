import { setTimeout as sleep } from 'node:timers/promises';
import { schema, structSchema } from '@millrace/sdk';

// Schemas are built once and shared: converters compile one serializer per schema object.
const valueSchema = structSchema([['tick', schema('INT64')]], { name: 'com.example.Tick' });
const partition = { source: 'clock' };

class TickerTask {
  async start(config, context) {
    this.topic = config.topic;
    this.interval = Number(config['interval.ms'] ?? 1000);
    this.signal = context.signal;
    // What was stored last; null on the very first start.
    this.tick = Number((await context.offsets.offset(partition))?.tick ?? 0);
  }

  // Waits a little for data, then returns a batch; ends early when the task is asked to stop.
  async poll() {
    await sleep(this.interval, undefined, { signal: this.signal }).catch(() => undefined);
    if (this.signal.aborted) return null;
    this.tick++;
    const record = { topic: this.topic, keySchema: null, key: null, valueSchema, value: { tick: this.tick } };
    return [{ ...record, sourcePartition: partition, sourceOffset: { tick: this.tick } }];
  }

  stop() {}
}

export default {
  type: 'source',
  config: [
    { name: 'topic', type: 'STRING', importance: 'HIGH', documentation: 'The topic to tick into.' },
    { name: 'interval.ms', type: 'INT', default: 1000, importance: 'LOW', documentation: 'Pause between ticks.' },
  ],
  createTask: () => new TickerTask(),
};
