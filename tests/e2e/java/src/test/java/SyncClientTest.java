import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.*;

/** The client that waits for each answer, over Apache's HTTP client. */
class SyncClientTest extends Requests {
    @Test
    void systemPropertiesAloneLeadToTheServer() {
        Map<String, String> properties = Map.of(
                "aws.endpointUrlDynamoDb", System.getenv("HASHRANGE_ENDPOINT"),
                "aws.region", "us-east-1", "aws.accessKeyId", "any", "aws.secretAccessKey", "any");
        properties.forEach(System::setProperty);
        try (DynamoDbClient unchanged = DynamoDbClient.create()) {
            Server.withOrders(table ->
                    assertEquals(table, unchanged.describeTable(b -> b.tableName(table)).table().tableName()));
        } finally {
            properties.keySet().forEach(System::clearProperty);
        }
    }

    @Test
    void aTableIsDescribedAsItWasAskedFor() {
        Server.withOrders(table -> {
            TableDescription found = DB.describeTable(b -> b.tableName(table)).table();
            assertEquals(TableStatus.ACTIVE, found.tableStatus());
            assertEquals(BillingMode.PAY_PER_REQUEST, found.billingModeSummary().billingMode());
            GlobalSecondaryIndexDescription index = found.globalSecondaryIndexes().get(0);
            assertEquals("by-state", index.indexName());
            assertEquals(IndexStatus.ACTIVE, index.indexStatus());
            assertTrue(index.indexArn().startsWith(found.tableArn() + "/index/"));
            assertTrue(DB.listTablesPaginator().tableNames().stream().anyMatch(table::equals));
        });
    }

    @Test
    void anItemOfEveryTypeComesBackAsItWas() {
        Server.withOrders(table -> {
            Map<String, AttributeValue> item = new HashMap<>(Server.keyOf("ada", "1"));
            item.put("digits", AttributeValue.fromN("12345678901234567890123456789012345678"));
            item.put("small", AttributeValue.fromN("-0.00000000012345678901234567890123456789"));
            item.put("words", AttributeValue.fromSs(List.of("a", "b")));
            item.put("numbers", AttributeValue.fromNs(List.of("1", "2.5")));
            item.put("bytes", Server.b(0, 255));
            item.put("blobs", AttributeValue.fromBs(List.of(SdkBytes.fromUtf8String("x"), SdkBytes.fromUtf8String("y"))));
            item.put("yes", AttributeValue.fromBool(true));
            item.put("nothing", AttributeValue.fromNul(true));
            item.put("empty", Server.s(""));
            item.put("none", AttributeValue.fromL(List.of()));
            item.put("deep", AttributeValue.fromM(Map.of("list", AttributeValue.fromL(List.of(Server.n(1), Server.s("ä€😀"))))));
            Server.put(table, item);
            Map<String, AttributeValue> found =
                    DB.getItem(b -> b.tableName(table).key(Server.keyOf("ada", "1")).consistentRead(true)).item();
            for (String set : List.of("words", "numbers", "blobs")) {
                assertEquals(members(item.get(set)), members(found.get(set)), set);
            }
            Map<String, AttributeValue> rest = new HashMap<>(found);
            for (String name : List.of("words", "numbers", "blobs", "small")) {
                rest.remove(name);
                item.remove(name);
            }
            assertEquals(item, rest);
            assertEquals(0, new java.math.BigDecimal("-1.2345678901234567890123456789E-10")
                    .compareTo(new java.math.BigDecimal(found.get("small").n())));
            assertFalse(DB.getItem(b -> b.tableName(table).key(Server.keyOf("ada", "2"))).hasItem());
        });
    }

    private static Set<Object> members(AttributeValue set) {
        Set<Object> members = new HashSet<>(set.ss());
        members.addAll(set.ns());
        members.addAll(set.bs());
        return members;
    }

    @Test
    void writesReturnOldAndNewAndAFailedConditionReturnsTheItem() {
        Server.withOrders(table -> {
            Server.put(table, Server.order("ada", "1", "open", 1));
            UpdateItemRequest update = UpdateItemRequest.builder().tableName(table).key(Server.keyOf("ada", "1"))
                    .updateExpression("SET #s = :paid ADD #t :four")
                    .conditionExpression("#s = :open")
                    .expressionAttributeNames(Map.of("#s", "state", "#t", "total"))
                    .expressionAttributeValues(Map.of(
                            ":paid", Server.s("paid"), ":open", Server.s("open"), ":four", Server.n(4)))
                    .returnValues(ReturnValue.ALL_NEW)
                    .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)
                    .build();
            assertEquals(Server.order("ada", "1", "paid", 5), DB.updateItem(update).attributes());
            var refused = assertThrows(ConditionalCheckFailedException.class, () -> DB.updateItem(update));
            assertEquals("The conditional request failed", refused.awsErrorDetails().errorMessage());
            assertEquals(400, refused.statusCode());
            assertFalse(refused.requestId().isEmpty());
            assertTrue(refused.hasItem());
            assertEquals(Server.order("ada", "1", "paid", 5), refused.item());
            var silent = assertThrows(ConditionalCheckFailedException.class, () -> DB.deleteItem(b -> b.tableName(table)
                    .key(Server.keyOf("ada", "1")).conditionExpression("attribute_not_exists(customer)")));
            assertFalse(silent.hasItem());
            var deleted = DB.deleteItem(b -> b.tableName(table).key(Server.keyOf("ada", "1"))
                    .returnValues(ReturnValue.ALL_OLD));
            assertEquals(Server.n(5), deleted.attributes().get("total"));
        });
    }

    @Test
    void theSdkWalksThePagesOfTheTableAndOfTheIndex() {
        Server.withOrders(table -> {
            for (int day = 0; day < 7; day++) {
                Server.put(table, Server.order("ada", "" + day, day % 2 == 0 ? "open" : "paid", day));
            }
            assertEquals("654321", Server.days(DB.queryPaginator(b -> descending(b, table, "customer", "ada")).items()));
            assertEquals("642", Server.days(DB.queryPaginator(
                    b -> descending(b, table, "state", "open").indexName("by-state")).items()));
            QueryResponse first = DB.query(b -> descending(b, table, "customer", "ada"));
            assertEquals(2, first.count());
            assertEquals(Server.keyOf("ada", "5"), first.lastEvaluatedKey());
        });
    }

    @Test
    void segmentsOfAScanHaveEveryItemOnce() {
        Server.withOrders(table -> {
            for (int i = 0; i < 40; i++) {
                Server.put(table, Server.order("customer-" + i, "1", "open", i));
            }
            List<String> found = IntStream.range(0, 4).parallel().boxed()
                    .flatMap(segment -> DB.scanPaginator(b -> b.tableName(table).segment(segment).totalSegments(4).limit(3))
                            .items().stream().map(item -> item.get("customer").s()))
                    .toList();
            assertEquals(40, found.size());
            assertEquals(40, new HashSet<>(found).size());
        });
    }

    @Test
    void batchesAreTakenInPartAndGoOnWithWhatIsLeft() {
        Server.withOrders(table -> {
            // 50 items of 390,000 bytes: two batches of writes, and more than the 16 MB of one answer.
            String filler = "x".repeat(390_000);
            List<Map<String, AttributeValue>> keys = new ArrayList<>();
            for (int i = 0; i < 50; i++) {
                keys.add(Server.keyOf("bob", String.format("%02d", i)));
            }
            for (List<Map<String, AttributeValue>> part : List.of(keys.subList(0, 25), keys.subList(25, 50))) {
                writeAll(table, part, filler);
            }
            KeysAndAttributes left = KeysAndAttributes.builder().keys(keys).build();
            Set<String> found = new HashSet<>();
            int rounds = 0;
            while (left != null) {
                KeysAndAttributes asked = left;
                BatchGetItemResponse answer = DB.batchGetItem(b -> b.requestItems(Map.of(table, asked)));
                for (Map<String, AttributeValue> item : answer.responses().get(table)) {
                    assertTrue(found.add(item.get("placed").s()));
                }
                left = answer.unprocessedKeys().get(table);
                rounds++;
            }
            assertEquals(50, found.size());
            assertTrue(rounds > 1, "19 MB came in one answer");
        });
    }

    private void writeAll(String table, List<Map<String, AttributeValue>> keys, String filler) {
        Map<String, List<WriteRequest>> left = Map.of(table, keys.stream().map(key -> {
            Map<String, AttributeValue> item = new HashMap<>(key);
            item.put("filler", Server.s(filler));
            return WriteRequest.builder().putRequest(p -> p.item(item)).build();
        }).toList());
        while (!left.isEmpty()) {
            Map<String, List<WriteRequest>> asked = left;
            left = DB.batchWriteItem(b -> b.requestItems(asked)).unprocessedItems();
        }
    }

    @Test
    void aCancelledTransactionTellsItsReasons() {
        Server.withOrders(table -> {
            Server.put(table, Server.order("bob", "7", "open", 7));
            var cancelled = assertThrows(TransactionCanceledException.class, () -> DB.transactWriteItems(b -> b
                    .transactItems(insert(table, "cy", "1"), insert(table, "bob", "7"))));
            List<CancellationReason> reasons = cancelled.cancellationReasons();
            assertEquals(List.of("None", "ConditionalCheckFailed"), reasons.stream().map(CancellationReason::code).toList());
            assertNull(reasons.get(0).message());
            assertEquals("The conditional request failed", reasons.get(1).message());
            assertEquals(Server.order("bob", "7", "open", 7), reasons.get(1).item());
            TransactWriteItemsRequest request = TransactWriteItemsRequest.builder()
                    .transactItems(insert(table, "cy", "1"), insert(table, "cy", "2"))
                    .clientRequestToken(UUID.randomUUID().toString()).build();
            DB.transactWriteItems(request);
            DB.transactWriteItems(request);
            var other = request.toBuilder().transactItems(insert(table, "cy", "3")).build();
            assertThrows(IdempotentParameterMismatchException.class, () -> DB.transactWriteItems(other));
            List<ItemResponse> both = DB.transactGetItems(b -> b.transactItems(
                    get(table, "cy", "2"), get(table, "nobody", "0"))).responses();
            assertEquals(Server.keyOf("cy", "2"), both.get(0).item());
            assertFalse(both.get(1).hasItem());
        });
    }

    @Test
    void statementsReadWriteAndAreToldWhatIsWrong() {
        Server.withOrders(table -> {
            DB.executeStatement(b -> b
                    .statement("INSERT INTO \"" + table + "\" VALUE {'customer': ?, 'placed': '1', 'total': 3}")
                    .parameters(Server.s("ada")));
            String select = "SELECT total FROM \"" + table + "\" WHERE customer = ?";
            ExecuteStatementResponse found = DB.executeStatement(b -> b.statement(select).parameters(Server.s("ada")));
            assertEquals(List.of(Map.of("total", Server.n(3))), found.items());
            assertThrows(DuplicateItemException.class, () -> DB.executeStatement(b -> b
                    .statement("INSERT INTO \"" + table + "\" VALUE {'customer': 'ada', 'placed': '1'}")));
            List<BatchStatementResponse> answers = DB.batchExecuteStatement(b -> b.statements(
                    s -> s.statement(select + " AND placed = '1'").parameters(Server.s("ada")),
                    s -> s.statement("SELECT * FROM nowhere WHERE customer = 'ada'"))).responses();
            assertEquals(Server.n(3), answers.get(0).item().get("total"));
            assertEquals(BatchStatementErrorCodeEnum.RESOURCE_NOT_FOUND, answers.get(1).error().code());
        });
    }

    @Test
    void capacityIsCountedByTableAndIndex() {
        Server.withOrders(table -> {
            ConsumedCapacity wrote = DB.putItem(b -> b.tableName(table).item(Server.order("ada", "1", "open", 1))
                    .returnConsumedCapacity(ReturnConsumedCapacity.INDEXES)).consumedCapacity();
            assertEquals(table, wrote.tableName());
            assertEquals(2.0, wrote.capacityUnits());
            assertEquals(1.0, wrote.table().capacityUnits());
            assertEquals(1.0, wrote.globalSecondaryIndexes().get("by-state").capacityUnits());
            assertEquals(0.5, DB.getItem(b -> b.tableName(table).key(Server.keyOf("ada", "1"))
                    .returnConsumedCapacity(ReturnConsumedCapacity.TOTAL)).consumedCapacity().capacityUnits());
        });
    }

    @Test
    void timeToLiveAndTagsAreDescribed() {
        Server.withOrders(table -> {
            DB.updateTimeToLive(b -> b.tableName(table)
                    .timeToLiveSpecification(t -> t.enabled(true).attributeName("gone")));
            TimeToLiveDescription told = DB.describeTimeToLive(b -> b.tableName(table)).timeToLiveDescription();
            assertEquals("gone", told.attributeName());
            assertTrue(Set.of(TimeToLiveStatus.ENABLING, TimeToLiveStatus.ENABLED).contains(told.timeToLiveStatus()));
            String arn = DB.describeTable(b -> b.tableName(table)).table().tableArn();
            Tag tag = Tag.builder().key("team").value("blue").build();
            DB.tagResource(b -> b.resourceArn(arn).tags(tag));
            assertEquals(List.of(tag), DB.listTagsOfResource(b -> b.resourceArn(arn)).tags());
        });
    }

    @Test
    void faultsAreTheSdksOwnExceptions() {
        assertThrows(ResourceNotFoundException.class, () -> DB.describeTable(b -> b.tableName("nowhere")));
        Server.withOrders(table -> {
            assertThrows(ResourceInUseException.class, () -> DB.createTable(Server.orders(table).build()));
            var half = assertThrows(DynamoDbException.class,
                    () -> DB.getItem(b -> b.tableName(table).key(Map.of("customer", Server.s("ada")))));
            assertEquals("ValidationException", half.awsErrorDetails().errorCode());
            assertEquals("The provided key element does not match the schema", half.awsErrorDetails().errorMessage());
        });
    }
}
