/** What Filter and ContentBasedRouter share. Source: cdc-postgres §7.13. */
import { messageOf, type ConnectorConfig, type ConnectRecord, type Transformation } from '@millrace/sdk';
import { TransformError } from '../structs';
import { scriptingSettings, type ScriptingSettings } from './scripting-settings';

export class ScriptingTransformation implements Transformation {
  private settings: ScriptingSettings | null = null;

  /**
   * @param name of the expression's setting
   * @param decide returns the record that follows from the expression's result, null to drop it, or undefined for a
   * result of the wrong type
   */
  constructor(
    private readonly name: string,
    private readonly type: string,
    private readonly decide: <R extends ConnectRecord>(record: R, result: unknown) => R | null | undefined,
  ) {}

  configure(config: ConnectorConfig): void {
    this.settings = scriptingSettings(config, this.name);
  }

  apply<R extends ConnectRecord>(record: R): R | null {
    const { topics, nulls } = this.settings as ScriptingSettings;
    if (topics && !topics.test(record.topic)) return record;
    if ((record.value === null || record.value === undefined) && nulls !== 'evaluate') {
      return nulls === 'keep' ? record : null;
    }
    const result = this.evaluated(record);
    const decided = this.decide(record, result);
    if (decided === undefined) throw this.failure(record, `its result is not a ${this.type}`);
    return decided;
  }

  private evaluated(record: ConnectRecord): unknown {
    try {
      return (this.settings as ScriptingSettings).evaluate(record);
    } catch (error) {
      throw this.failure(record, messageOf(error), error);
    }
  }

  /** Without the record, which may hold secrets. */
  private failure({ topic }: ConnectRecord, reason: string, cause?: unknown): TransformError {
    return new TransformError(
      'io.debezium.DebeziumException',
      `Error while evaluating expression '${(this.settings as ScriptingSettings).expression}' for a record of topic ${topic}: ${reason}`,
      cause,
    );
  }
}
