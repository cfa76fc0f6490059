package io.millrace.host;

/**
 * The result of a call that is made when it is written, so that results with data are written in the order in which
 * they were encoded.
 */
interface Late {
  Object make() throws Exception;
}
