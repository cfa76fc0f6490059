import { type ConnectorConfig, type ConnectRecord, type Predicate, type PredicatePlugin } from '@millrace/sdk';

/** Matches records with at least one header of that name. */
class HasHeaderKey implements Predicate {
  private name = '';

  configure(config: ConnectorConfig): void {
    this.name = (config.name ?? '').trim();
  }

  test({ headers }: ConnectRecord): boolean {
    return headers != null && headers.some(({ key }) => key === this.name);
  }
}

export const hasHeaderKey: PredicatePlugin = {
  type: 'predicate',
  config: [
    {
      name: 'name',
      type: 'STRING',
      importance: 'MEDIUM',
      documentation: 'Name of the header to look for.',
      validator: (value) => (value === '' ? 'String must be non-empty' : null),
    },
  ],
  create: () => new HasHeaderKey(),
};
