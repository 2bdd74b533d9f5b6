package smoke

import (
	"context"
	"fmt"
	"math/big"
	"strings"
	"sync"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams"
	changes "github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"
)

func TestTheChangesOfATableAreReadInTheirOrder(t *testing.T) {
	db, cfg, endpoint := configured(t)
	table := orders(t, db)
	ctx := context.Background()
	changed, err := db.UpdateTable(ctx, &dynamodb.UpdateTableInput{
		TableName: &table,
		StreamSpecification: &types.StreamSpecification{
			StreamEnabled: aws.Bool(true), StreamViewType: types.StreamViewTypeNewAndOldImages,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	arn := changed.TableDescription.LatestStreamArn
	active := dynamodb.NewTableExistsWaiter(db)
	if err := active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: &table}, 60_000_000_000); err != nil {
		t.Fatal(err)
	}
	put(t, db, table, order{Customer: "ada", Placed: "1", State: "open"})
	put(t, db, table, order{Customer: "ada", Placed: "1", State: "paid"})
	if _, err := db.DeleteItem(ctx, &dynamodb.DeleteItemInput{TableName: &table, Key: keyOf("ada", "1")}); err != nil {
		t.Fatal(err)
	}
	streams := dynamodbstreams.NewFromConfig(cfg, func(o *dynamodbstreams.Options) { o.BaseEndpoint = &endpoint })
	told, err := streams.DescribeStream(ctx, &dynamodbstreams.DescribeStreamInput{StreamArn: arn})
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	for _, shard := range told.StreamDescription.Shards {
		for _, record := range recordsOf(t, streams, arn, shard.ShardId) {
			seen = append(seen, fmt.Sprint(record.EventName, state(record.Dynamodb.OldImage), state(record.Dynamodb.NewImage)))
		}
	}
	if all := strings.Join(seen, " "); all != "INSERT-open MODIFYopenpaid REMOVEpaid-" {
		t.Fatal(all)
	}
}

func state(image map[string]changes.AttributeValue) string {
	if image == nil {
		return "-"
	}
	return image["state"].(*changes.AttributeValueMemberS).Value
}

// Reads a shard until a page has nothing or the shard ends.
func recordsOf(t *testing.T, streams *dynamodbstreams.Client, arn, shard *string) []changes.Record {
	t.Helper()
	ctx := context.Background()
	start, err := streams.GetShardIterator(ctx, &dynamodbstreams.GetShardIteratorInput{
		StreamArn: arn, ShardId: shard, ShardIteratorType: changes.ShardIteratorTypeTrimHorizon,
	})
	if err != nil {
		t.Fatal(err)
	}
	var records []changes.Record
	for place := start.ShardIterator; place != nil; {
		page, err := streams.GetRecords(ctx, &dynamodbstreams.GetRecordsInput{ShardIterator: place})
		if err != nil {
			t.Fatal(err)
		}
		if len(page.Records) == 0 {
			break
		}
		records, place = append(records, page.Records...), page.NextShardIterator
	}
	return records
}

func TestSegmentsOfAScanHaveEveryItemOnce(t *testing.T) {
	db := client(t)
	table := orders(t, db)
	for n := 0; n < 40; n++ {
		put(t, db, table, order{Customer: fmt.Sprint("customer-", n), Placed: "1", State: "open"})
	}
	var all sync.WaitGroup
	counts := make([]map[string]int, 4)
	for segment := range counts {
		counts[segment] = map[string]int{}
		all.Add(1)
		go func() {
			defer all.Done()
			pages := dynamodb.NewScanPaginator(db, &dynamodb.ScanInput{
				TableName: &table, Limit: aws.Int32(3),
				Segment: aws.Int32(int32(segment)), TotalSegments: aws.Int32(4),
			})
			for pages.HasMorePages() {
				page, err := pages.NextPage(context.Background())
				if err != nil {
					t.Error(err)
					return
				}
				for _, item := range page.Items {
					counts[segment][item["customer"].(*types.AttributeValueMemberS).Value]++
				}
			}
		}()
	}
	all.Wait()
	found := map[string]int{}
	for _, count := range counts {
		for customer, times := range count {
			found[customer] += times
		}
	}
	for customer, times := range found {
		if times != 1 {
			t.Errorf("%s came %d times", customer, times)
		}
	}
	if len(found) != 40 {
		t.Errorf("%d of 40", len(found))
	}
}

func TestNumbersOf38DigitsTimeToLiveAndCapacity(t *testing.T) {
	db := client(t)
	table := orders(t, db)
	ctx := context.Background()
	digits := "12345678901234567890123456789012345678"
	item := keyOf("ada", "1")
	item["digits"] = &types.AttributeValueMemberN{Value: digits}
	item["set"] = &types.AttributeValueMemberNS{Value: []string{digits, "-" + digits}}
	wrote, err := db.PutItem(ctx, &dynamodb.PutItemInput{
		TableName: &table, Item: item, ReturnConsumedCapacity: types.ReturnConsumedCapacityTotal,
	})
	if err != nil || *wrote.ConsumedCapacity.CapacityUnits != 1 {
		t.Fatalf("%v %v", wrote, err)
	}
	got, err := db.GetItem(ctx, &dynamodb.GetItemInput{TableName: &table, Key: keyOf("ada", "1")})
	if err != nil || got.Item["digits"].(*types.AttributeValueMemberN).Value != digits {
		t.Fatalf("%v %v", got, err)
	}
	sum := new(big.Int)
	for _, text := range got.Item["set"].(*types.AttributeValueMemberNS).Value {
		number, ok := new(big.Int).SetString(text, 10)
		if !ok {
			t.Fatal(text)
		}
		sum.Add(sum, number)
	}
	if sum.Sign() != 0 {
		t.Error(sum)
	}
	_, err = db.UpdateTimeToLive(ctx, &dynamodb.UpdateTimeToLiveInput{
		TableName:               &table,
		TimeToLiveSpecification: &types.TimeToLiveSpecification{Enabled: aws.Bool(true), AttributeName: aws.String("gone")},
	})
	if err != nil {
		t.Fatal(err)
	}
	told, err := db.DescribeTimeToLive(ctx, &dynamodb.DescribeTimeToLiveInput{TableName: &table})
	if err != nil || *told.TimeToLiveDescription.AttributeName != "gone" {
		t.Fatalf("%v %v", told, err)
	}
}
