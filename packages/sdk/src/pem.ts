const BEGIN = '-----BEGIN ';
const END = '-----END ';
const DASHES = '-----';

/**
 * The PEM blocks in a text whose label ends in `label` ("PRIVATE KEY" includes RSA, EC and encrypted keys). In a
 * properties file a block is often one line with blanks instead of line ends, which OpenSSL rejects: bodies are
 * rewrapped.
 */
export function pemBlocks(source: string, label: 'CERTIFICATE' | 'PRIVATE KEY'): string[] {
  const blocks: string[] = [];
  let end = -1;
  for (let at = source.indexOf(BEGIN); at >= 0;) {
    const nameAt = at + BEGIN.length;
    const bodyAt = source.indexOf(DASHES, nameAt) + DASHES.length;
    if (bodyAt < nameAt) break;
    // Linear time: an unterminated block must not be searched to the end repeatedly.
    if (end < bodyAt) end = source.indexOf(END, bodyAt);
    if (end < 0) break;
    at = source.indexOf(BEGIN, nameAt);
    const name = source.slice(nameAt, bodyAt - DASHES.length);
    if ((at >= 0 && at < end) || !name.endsWith(label) || !source.startsWith(name + DASHES, end + END.length)) continue;
    const body = source.slice(bodyAt, end);
    // Old encrypted keys have header lines, which must keep their line ends.
    const lines = body.includes(':') ? body : `\n${body.replace(/\s+/g, '').replace(/.{64}(?=.)/g, '$&\n')}\n`;
    blocks.push(`${BEGIN}${name}${DASHES}${lines}${END}${name}${DASHES}\n`);
  }
  return blocks;
}
