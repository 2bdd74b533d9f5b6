// The AWS SDK for Go v2 against a running server: tables, items, conditions, queries with pages, batches,
// transactions, indexes, PartiQL, segments, streams. Leaves everything finer to the suite in Python.
package smoke

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/smithy-go"
)

type order struct {
	Customer string   `dynamodbav:"customer"`
	Placed   string   `dynamodbav:"placed"`
	State    string   `dynamodbav:"state,omitempty"`
	Total    int      `dynamodbav:"total"`
	Marks    []string `dynamodbav:"marks,stringset,omitempty"`
	Scan     []byte   `dynamodbav:"scan,omitempty"`
}

func client(t *testing.T) *dynamodb.Client {
	t.Helper()
	db, _, _ := configured(t)
	return db
}

// Returns a client, and what clients of other services are made of.
func configured(t *testing.T) (*dynamodb.Client, aws.Config, string) {
	t.Helper()
	endpoint := os.Getenv("HASHRANGE_ENDPOINT")
	if endpoint == "" {
		t.Fatal("HASHRANGE_ENDPOINT names the server")
	}
	cfg, err := config.LoadDefaultConfig(context.Background(),
		config.WithRegion("us-east-1"),
		config.WithCredentialsProvider(credentials.NewStaticCredentialsProvider("any", "any", "")))
	if err != nil {
		t.Fatal(err)
	}
	return dynamodb.NewFromConfig(cfg, func(o *dynamodb.Options) { o.BaseEndpoint = aws.String(endpoint) }), cfg, endpoint
}

// Makes a table of orders with an index by state; it goes with the test.
func orders(t *testing.T, db *dynamodb.Client) string {
	t.Helper()
	ctx := context.Background()
	name := fmt.Sprintf("go-%s-%d", t.Name(), time.Now().UnixNano())
	key := func(hash, sort string) []types.KeySchemaElement {
		return []types.KeySchemaElement{
			{AttributeName: aws.String(hash), KeyType: types.KeyTypeHash},
			{AttributeName: aws.String(sort), KeyType: types.KeyTypeRange},
		}
	}
	text := func(name string) types.AttributeDefinition {
		return types.AttributeDefinition{AttributeName: aws.String(name), AttributeType: types.ScalarAttributeTypeS}
	}
	_, err := db.CreateTable(ctx, &dynamodb.CreateTableInput{
		TableName:            aws.String(name),
		BillingMode:          types.BillingModePayPerRequest,
		AttributeDefinitions: []types.AttributeDefinition{text("customer"), text("placed"), text("state")},
		KeySchema:            key("customer", "placed"),
		GlobalSecondaryIndexes: []types.GlobalSecondaryIndex{{
			IndexName:  aws.String("by-state"),
			KeySchema:  key("state", "placed"),
			Projection: &types.Projection{ProjectionType: types.ProjectionTypeKeysOnly},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := db.DeleteTable(ctx, &dynamodb.DeleteTableInput{TableName: aws.String(name)}); err != nil {
			t.Error(err)
		}
		gone := dynamodb.NewTableNotExistsWaiter(db)
		if err := gone.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)}, time.Minute); err != nil {
			t.Error(err)
		}
	})
	active := dynamodb.NewTableExistsWaiter(db)
	if err := active.Wait(ctx, &dynamodb.DescribeTableInput{TableName: aws.String(name)}, time.Minute); err != nil {
		t.Fatal(err)
	}
	return name
}

func put(t *testing.T, db *dynamodb.Client, table string, value order) {
	t.Helper()
	item, err := attributevalue.MarshalMap(value)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutItem(context.Background(), &dynamodb.PutItemInput{TableName: &table, Item: item}); err != nil {
		t.Fatal(err)
	}
}

func keyOf(customer, placed string) map[string]types.AttributeValue {
	return map[string]types.AttributeValue{
		"customer": &types.AttributeValueMemberS{Value: customer},
		"placed":   &types.AttributeValueMemberS{Value: placed},
	}
}

func TestVariablesAloneLeadToTheServer(t *testing.T) {
	db, _, endpoint := configured(t)
	table := orders(t, db)
	t.Setenv("AWS_ENDPOINT_URL_DYNAMODB", endpoint)
	t.Setenv("AWS_REGION", "us-east-1")
	t.Setenv("AWS_ACCESS_KEY_ID", "any")
	t.Setenv("AWS_SECRET_ACCESS_KEY", "any")
	cfg, err := config.LoadDefaultConfig(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	unchanged := dynamodb.NewFromConfig(cfg)
	if _, err := unchanged.DescribeTable(context.Background(), &dynamodb.DescribeTableInput{TableName: &table}); err != nil {
		t.Fatal(err)
	}
}

func TestAnItemComesBackAsItWas(t *testing.T) {
	db := client(t)
	table := orders(t, db)
	sent := order{"ada", "2026-01-01", "open", 12, []string{"gift", "new"}, []byte{0, 255}}
	put(t, db, table, sent)
	got, err := db.GetItem(context.Background(), &dynamodb.GetItemInput{
		TableName: &table, Key: keyOf("ada", "2026-01-01"), ConsistentRead: aws.Bool(true),
	})
	if err != nil {
		t.Fatal(err)
	}
	var found order
	if err := attributevalue.UnmarshalMap(got.Item, &found); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(found) != fmt.Sprint(sent) {
		t.Fatalf("%v came back as %v", sent, found)
	}
}

func TestAnUpdateIsBuiltByTheSdkAndRefusedByItsCondition(t *testing.T) {
	db := client(t)
	table := orders(t, db)
	ctx := context.Background()
	put(t, db, table, order{Customer: "ada", Placed: "1", State: "open", Total: 1})
	built, err := expression.NewBuilder().
		WithUpdate(expression.Set(expression.Name("state"), expression.Value("paid")).
			Add(expression.Name("total"), expression.Value(4))).
		WithCondition(expression.Equal(expression.Name("state"), expression.Value("open"))).
		Build()
	if err != nil {
		t.Fatal(err)
	}
	update := &dynamodb.UpdateItemInput{
		TableName: &table, Key: keyOf("ada", "1"), ReturnValues: types.ReturnValueAllNew,
		UpdateExpression: built.Update(), ConditionExpression: built.Condition(),
		ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}
	answer, err := db.UpdateItem(ctx, update)
	if err != nil {
		t.Fatal(err)
	}
	if total := answer.Attributes["total"].(*types.AttributeValueMemberN).Value; total != "5" {
		t.Fatalf("1 and 4 are %s", total)
	}
	_, err = db.UpdateItem(ctx, update)
	var refused *types.ConditionalCheckFailedException
	if !errors.As(err, &refused) || refused.ErrorMessage() != "The conditional request failed" {
		t.Fatalf("the second time: %v", err)
	}
	if total := refused.Item["total"].(*types.AttributeValueMemberN).Value; total != "5" {
		t.Fatalf("the item of the refusal: %v", refused.Item)
	}
}

func TestPagesOfAQueryAndOfAnIndex(t *testing.T) {
	db := client(t)
	table := orders(t, db)
	for day := 0; day < 7; day++ {
		put(t, db, table, order{Customer: "ada", Placed: fmt.Sprint(day), State: []string{"open", "paid"}[day%2]})
	}
	read := func(index *string, attribute, value string) string {
		condition := expression.Key(attribute).Equal(expression.Value(value)).
			And(expression.Key("placed").GreaterThanEqual(expression.Value("1")))
		built, err := expression.NewBuilder().WithKeyCondition(condition).Build()
		if err != nil {
			t.Fatal(err)
		}
		pages := dynamodb.NewQueryPaginator(db, &dynamodb.QueryInput{
			TableName: &table, IndexName: index, Limit: aws.Int32(2), ScanIndexForward: aws.Bool(false),
			KeyConditionExpression:   built.KeyCondition(),
			ExpressionAttributeNames: built.Names(), ExpressionAttributeValues: built.Values(),
		})
		var days []string
		for pages.HasMorePages() {
			page, err := pages.NextPage(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			for _, item := range page.Items {
				days = append(days, item["placed"].(*types.AttributeValueMemberS).Value)
			}
		}
		return strings.Join(days, "")
	}
	if days := read(nil, "customer", "ada"); days != "654321" {
		t.Errorf("the table: %s", days)
	}
	if days := read(aws.String("by-state"), "state", "open"); days != "642" {
		t.Errorf("the index: %s", days)
	}
}

func TestBatchesAndTransactions(t *testing.T) {
	db := client(t)
	table := orders(t, db)
	ctx := context.Background()
	var puts []types.WriteRequest
	for n := 0; n < 25; n++ {
		puts = append(puts, types.WriteRequest{PutRequest: &types.PutRequest{Item: keyOf("bob", fmt.Sprint(n))}})
	}
	wrote, err := db.BatchWriteItem(ctx, &dynamodb.BatchWriteItemInput{
		RequestItems: map[string][]types.WriteRequest{table: puts},
	})
	if err != nil || len(wrote.UnprocessedItems) != 0 {
		t.Fatalf("%v %v", wrote, err)
	}
	none := aws.String("attribute_not_exists(customer)")
	_, err = db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: []types.TransactWriteItem{
		{Put: &types.Put{TableName: &table, Item: keyOf("cy", "1"), ConditionExpression: none}},
		{Put: &types.Put{TableName: &table, Item: keyOf("bob", "7"), ConditionExpression: none}},
	}})
	var cancelled *types.TransactionCanceledException
	if !errors.As(err, &cancelled) {
		t.Fatalf("not cancelled: %v", err)
	}
	if len(cancelled.CancellationReasons) != 2 || *cancelled.CancellationReasons[1].Code != "ConditionalCheckFailed" {
		t.Fatalf("reasons: %v", cancelled.CancellationReasons)
	}
	scan, err := db.Scan(ctx, &dynamodb.ScanInput{TableName: &table, Select: types.SelectCount})
	if err != nil || scan.Count != 25 {
		t.Fatalf("%v %v", scan, err)
	}
}

func TestAStatementAndAFaultInTheServicesForm(t *testing.T) {
	db := client(t)
	table := orders(t, db)
	ctx := context.Background()
	put(t, db, table, order{Customer: "ada", Placed: "1", State: "open", Total: 3})
	answer, err := db.ExecuteStatement(ctx, &dynamodb.ExecuteStatementInput{
		Statement:  aws.String(fmt.Sprintf(`SELECT total FROM "%s" WHERE customer = ?`, table)),
		Parameters: []types.AttributeValue{&types.AttributeValueMemberS{Value: "ada"}},
	})
	if err != nil || len(answer.Items) != 1 {
		t.Fatalf("%v %v", answer, err)
	}
	_, err = db.GetItem(ctx, &dynamodb.GetItemInput{
		TableName: &table, Key: map[string]types.AttributeValue{"customer": &types.AttributeValueMemberS{Value: "ada"}},
	})
	var fault smithy.APIError
	if !errors.As(err, &fault) || fault.ErrorCode() != "ValidationException" ||
		fault.ErrorMessage() != "The provided key element does not match the schema" {
		t.Fatalf("half a key: %v", err)
	}
}
