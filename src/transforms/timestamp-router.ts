/** `TimestampRouter`: derives the topic from the record's timestamp. Source: connect-runtime §7.2. */
import type { ConfigKey, ConnectorConfig, ConnectRecord, Transformation } from '@millrace/sdk';
import { formatDate } from './date-format';
import { parsePattern, patternFault, type Piece } from './date-pattern';
import { dataError } from './failures';
import { Settings } from './settings';
import { isNull } from './shapes';

export const TIMESTAMP_ROUTER_CONFIG: readonly ConfigKey[] = [
  {
    name: 'topic.format',
    type: 'STRING',
    default: '${topic}-${timestamp}',
    importance: 'HIGH',
    documentation: 'The new topic; ${topic} stands for the old one and ${timestamp} for the time.',
  },
  {
    name: 'timestamp.format',
    type: 'STRING',
    default: 'yyyyMMdd',
    importance: 'HIGH',
    documentation: 'How the time is written, in UTC: a pattern of java.text.SimpleDateFormat.',
    validator: patternFault,
  },
];

export class TimestampRouter implements Transformation {
  private format = '';
  private pieces: readonly Piece[] = [];

  configure(config: ConnectorConfig): void {
    const settings = new Settings(TIMESTAMP_ROUTER_CONFIG, config);
    this.format = settings.text('topic.format');
    this.pieces = parsePattern(settings.text('timestamp.format'));
  }

  apply<R extends ConnectRecord>(record: R): R {
    if (isNull(record.timestamp)) throw dataError(`Timestamp missing on record: topic ${record.topic}`);
    const time = formatDate(this.pieces, new Date(record.timestamp));
    // A topic name that itself contains ${timestamp} gets the time there, too, as in Java.
    const topic = this.format.replaceAll('${topic}', () => record.topic).replaceAll('${timestamp}', () => time);
    return { ...record, topic };
  }
}
