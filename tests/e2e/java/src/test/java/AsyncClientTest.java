import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.DynamoDbAsyncClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.TableStatus;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** The client of futures and publishers, over Netty. */
class AsyncClientTest extends Requests {
    private static final DynamoDbAsyncClient ASYNC = Server.at(DynamoDbAsyncClient.builder()).build();

    @AfterAll
    static void close() {
        ASYNC.close();
    }

    @Test
    void aTableComesAndGoesUnderItsWaiters() {
        String table = Server.name();
        ASYNC.createTable(Server.orders(table).build()).join();
        try (var waiter = ASYNC.waiter()) {
            var found = waiter.waitUntilTableExists(b -> b.tableName(table)).join().matched().response().orElseThrow();
            assertEquals(TableStatus.ACTIVE, found.table().tableStatus());
            ASYNC.deleteTable(b -> b.tableName(table)).join();
            waiter.waitUntilTableNotExists(b -> b.tableName(table)).join();
        }
    }

    @Test
    void manyRequestsAtOnceAreAllAnswered() {
        Server.withOrders(table -> {
            CompletableFuture<?>[] puts = IntStream.range(0, 200)
                    .mapToObj(i -> ASYNC.putItem(b -> b.tableName(table).item(Server.order("c" + i, "1", "open", i))))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(puts).join();
            List<String> found = Collections.synchronizedList(new ArrayList<>());
            CompletableFuture<?>[] segments = IntStream.range(0, 4)
                    .mapToObj(segment -> ASYNC.scanPaginator(
                                    b -> b.tableName(table).segment(segment).totalSegments(4).limit(10))
                            .items().subscribe(item -> found.add(item.get("customer").s())))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(segments).join();
            assertEquals(200, found.size());
            assertEquals(200, new HashSet<>(found).size());
        });
    }

    @Test
    void aPublisherWalksThePages() {
        Server.withOrders(table -> {
            for (int day = 0; day < 7; day++) {
                Server.put(table, Server.order("ada", "" + day, day % 2 == 0 ? "open" : "paid", day));
            }
            List<Map<String, AttributeValue>> found = new ArrayList<>();
            ASYNC.queryPaginator(b -> descending(b, table, "state", "open").indexName("by-state"))
                    .items().subscribe(found::add).join();
            assertEquals("642", Server.days(found));
        });
    }

    @Test
    void refusalsAreTheCausesOfTheirFutures() {
        Server.withOrders(table -> {
            Server.put(table, Server.order("bob", "7", "open", 7));
            var condition = assertThrows(CompletionException.class, () -> ASYNC.putItem(b -> b.tableName(table)
                    .item(Server.keyOf("bob", "7")).conditionExpression("attribute_not_exists(customer)")
                    .returnValuesOnConditionCheckFailure("ALL_OLD")).join());
            var refused = assertInstanceOf(ConditionalCheckFailedException.class, condition.getCause());
            assertEquals(Server.order("bob", "7", "open", 7), refused.item());
            var whole = assertThrows(CompletionException.class, () -> ASYNC.transactWriteItems(
                    b -> b.transactItems(insert(table, "cy", "1"), insert(table, "bob", "7"))).join());
            var cancelled = assertInstanceOf(TransactionCanceledException.class, whole.getCause());
            assertEquals("ConditionalCheckFailed", cancelled.cancellationReasons().get(1).code());
        });
    }
}
