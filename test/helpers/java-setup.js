/** For tests in folders called java: the same services, but never the embedded broker. */
const { brokerKind } = require('../../dev/services/broker');
const globalSetup = require('./global-setup');

module.exports = async function javaSetup() {
  if (!process.env.BOOTSTRAP_SERVERS && brokerKind() !== 'kafka')
    throw new Error('These tests need Apache Kafka: `npm run test:kafka`, or TEST_BROKER=kafka.');
  await globalSetup();
};
