/** The formats: what a file of one is, and what the service calls it. Sources: analytics-sink §2.4, §3.2. */
export type FormatFamily = 'delimited' | 'json' | 'text' | 'binary';

export interface Format {
  /** As messages to the service name it. */
  readonly wireName: string;
  readonly family: FormatFamily;
  /** Kind of ingestion mapping that fits. */
  readonly mappingKind: string;
  /** As the query parameter of streaming ingestion names it. */
  readonly streamName: string;
  /** Of delimited formats. */
  readonly separator?: string;
  /** Several records may stand in one file. False: every bytes value is a file of its own. */
  readonly batched: boolean;
}

const delimited = (wireName: string, separator: string, streamName: string): Format => ({
  wireName,
  family: 'delimited',
  mappingKind: 'Csv',
  streamName,
  separator,
  batched: true,
});
const binary = (wireName: string, mappingKind: string): Format => ({
  wireName,
  family: 'binary',
  mappingKind,
  streamName: mappingKind,
  batched: false,
});
/** The service reads several records of a file only by this name. */
const JSON_FORMAT: Format = {
  wireName: 'multijson',
  family: 'json',
  mappingKind: 'Json',
  streamName: 'MultiJSON',
  batched: true,
};

const FORMATS: ReadonlyMap<string, Format> = new Map(
  Object.entries({
    csv: delimited('csv', ',', 'Csv'),
    tsv: delimited('tsv', '\t', 'TSV'),
    tsve: delimited('tsve', '\t', 'TSVe'),
    psv: delimited('psv', '|', 'PSV'),
    scsv: delimited('scsv', ';', 'SCsv'),
    sohsv: delimited('sohsv', '\u0001', 'SOHsv'),
    txt: { wireName: 'txt', family: 'text', mappingKind: 'Csv', streamName: 'Txt', batched: true },
    w3clogfile: {
      wireName: 'w3clogfile',
      family: 'text',
      mappingKind: 'W3CLogFile',
      streamName: 'W3CLOGFILE',
      batched: true,
    },
    raw: { wireName: 'raw', family: 'text', mappingKind: 'Csv', streamName: 'Raw', batched: false },
    json: JSON_FORMAT,
    singlejson: JSON_FORMAT,
    multijson: JSON_FORMAT,
    avro: binary('avro', 'Avro'),
    apacheavro: binary('apacheavro', 'ApacheAvro'),
    parquet: binary('parquet', 'Parquet'),
    orc: binary('orc', 'Orc'),
    sstream: binary('sstream', 'SStream'),
  }),
);

export const FORMAT_NAMES: readonly string[] = [...FORMATS.keys()];

/** Any case; null for an unknown one. */
export function findFormat(name: string): Format | null {
  return FORMATS.get(name.toLowerCase()) ?? null;
}
