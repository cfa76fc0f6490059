// Uses the broker at the first argument as an application would, and prints what it has read as JSON.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"github.com/twmb/franz-go/pkg/kmsg"
)

const records = 100

var ctx, cancel = context.WithTimeout(context.Background(), 2*time.Minute)

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func client(options ...kgo.Opt) *kgo.Client {
	all := append([]kgo.Opt{kgo.SeedBrokers(os.Args[1]), kgo.AllowAutoTopicCreation()}, options...)
	made, err := kgo.NewClient(all...)
	check(err)
	return made
}

// The values of `count` records, in order.
func read(from *kgo.Client, count int) []string {
	values := []string{}
	for len(values) < count {
		fetches := from.PollFetches(ctx)
		check(fetches.Err0())
		fetches.EachRecord(func(record *kgo.Record) { values = append(values, string(record.Value)) })
	}
	return values
}

// Idempotently, which is this client's default.
func produce(codec kgo.CompressionCodec, from int, count int) {
	producer := client(kgo.ProducerBatchCompression(codec), kgo.DefaultProduceTopic("t"))
	defer producer.Close()
	for i := from; i < from+count; i++ {
		check(producer.ProduceSync(ctx, kgo.StringRecord(fmt.Sprintf("value %d", i))).FirstErr())
	}
}

func produceInTransactions() {
	producer := client(kgo.TransactionalID("go"), kgo.DefaultProduceTopic("x"))
	defer producer.Close()
	for _, transaction := range []struct {
		value string
		end   kgo.TransactionEndTry
	}{{"dropped", kgo.TryAbort}, {"kept", kgo.TryCommit}} {
		check(producer.BeginTransaction())
		check(producer.ProduceSync(ctx, kgo.StringRecord(transaction.value)).FirstErr())
		check(producer.EndTransaction(ctx, transaction.end))
	}
}

func committed(asker *kgo.Client) int64 {
	request := kmsg.NewPtrOffsetFetchRequest()
	request.Group = "g"
	topic := kmsg.NewOffsetFetchRequestTopic()
	topic.Topic, topic.Partitions = "t", []int32{0}
	request.Topics = append(request.Topics, topic)
	response, err := request.RequestWith(ctx, asker)
	check(err)
	return response.Topics[0].Partitions[0].Offset
}

func topics(asker *kgo.Client) []string {
	request := kmsg.NewPtrMetadataRequest()
	request.Topics = nil
	response, err := request.RequestWith(ctx, asker)
	check(err)
	names := []string{}
	for _, topic := range response.Topics {
		names = append(names, *topic.Topic)
	}
	return names
}

func main() {
	defer cancel()
	codecs := []kgo.CompressionCodec{
		kgo.GzipCompression(), kgo.SnappyCompression(), kgo.Lz4Compression(), kgo.ZstdCompression(),
	}
	for i, codec := range codecs {
		produce(codec, i*records/len(codecs), records/len(codecs))
	}
	produceInTransactions()

	earliest := kgo.ConsumeResetOffset(kgo.NewOffset().AtStart())
	member := client(kgo.ConsumerGroup("g"), kgo.ConsumeTopics("t"), kgo.DisableAutoCommit(), earliest)
	inGroup := read(member, records)
	check(member.CommitUncommittedOffsets(ctx))
	member.Close()
	reader := client(kgo.ConsumeTopics("x"), kgo.FetchIsolationLevel(kgo.ReadCommitted()), earliest)
	inTransaction := read(reader, 1)
	reader.Close()

	asker := client()
	defer asker.Close()
	check(json.NewEncoder(os.Stdout).Encode(map[string]any{
		"topics":           topics(asker),
		"consumedInGroup":  inGroup,
		"committedOffset":  committed(asker),
		"committedRecords": inTransaction,
	}))
}
