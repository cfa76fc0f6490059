/** File formats and the service's names for them. Sources: analytics-sink §2.4, §3.2. */
type FormatFamily = 'delimited' | 'json' | 'text' | 'binary';

export interface Format {
  /** Its name in messages to the service. */
  readonly wireName: string;
  readonly family: FormatFamily;
  /** Kind of ingestion mapping that it requires. */
  readonly mappingKind: string;
  /** Its name in the query parameter of streaming ingestion. */
  readonly streamName: string;
  /** For delimited formats only. */
  readonly separator?: string;
  /** Whether a file may contain several records. False: every bytes value is a separate file. */
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
/** The service reads several records from a file only under this name. */
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

/** Of a delimited format; null: the format escapes separators and line breaks rather than quoting fields. */
export function quotingSeparator({ wireName, separator = ',' }: Format): string | null {
  return wireName === 'tsve' ? null : separator;
}

/** Case-insensitive; null for an unknown name. */
export function findFormat(name: string): Format | null {
  return FORMATS.get(name.toLowerCase()) ?? null;
}
