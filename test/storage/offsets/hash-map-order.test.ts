import { hashMapOrder } from '../../../src/storage/offsets/hash-map-order';

describe('connect-runtime §1.5.3: the order of a Java HashMap', () => {
  test.each([
    ['table,protocol', 'protocol,table'],
    ['server,database', 'server,database'],
    ['database,server', 'server,database'],
    ['topic,partition,cluster', 'cluster,partition,topic'],
    ['name,connector.class,tasks.max,file,topic,nul', 'connector.class,file,nul,tasks.max,name,topic'],
    [
      'server,database,table,schema,protocol,file,cluster,partition,topic,query,kafka_topic,kafka_partition,db,ts,pos,row,event',
      'schema,server,cluster,kafka_partition,query,kafka_topic,database,protocol,file,partition,pos,topic,row,event,table,db,ts',
    ],
  ])('%s', (keys, order) => expect(hashMapOrder(keys.split(',')).join()).toBe(order));
});
