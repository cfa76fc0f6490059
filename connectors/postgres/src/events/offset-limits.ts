/**
 * Every offset is one record of the offset topic, whose limit is 1 MiB unless brokers and workers have another one.
 * Bytes of the offset's JSON.
 */

/** Of all members together, so that the partition and the connector's name fit beside them. */
export const MAX_OFFSET_BYTES = 960 * 1024;
/** Of the list of tables of an incremental snapshot. */
export const MAX_LIST_BYTES = 768 * 1024;
/** Of the counts of a transaction in Debezium's form, beside such a list. */
export const MAX_PLAIN_COUNTS_BYTES = MAX_OFFSET_BYTES - MAX_LIST_BYTES;
