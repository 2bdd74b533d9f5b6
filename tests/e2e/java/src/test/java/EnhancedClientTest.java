import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbEnhancedClient;
import software.amazon.awssdk.enhanced.dynamodb.DynamoDbTable;
import software.amazon.awssdk.enhanced.dynamodb.Expression;
import software.amazon.awssdk.enhanced.dynamodb.Key;
import software.amazon.awssdk.enhanced.dynamodb.TableSchema;
import software.amazon.awssdk.enhanced.dynamodb.extensions.annotations.DynamoDbVersionAttribute;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbBean;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondaryPartitionKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSecondarySortKey;
import software.amazon.awssdk.enhanced.dynamodb.mapper.annotations.DynamoDbSortKey;
import software.amazon.awssdk.enhanced.dynamodb.model.QueryConditional;
import software.amazon.awssdk.enhanced.dynamodb.model.ReadBatch;
import software.amazon.awssdk.enhanced.dynamodb.model.WriteBatch;
import software.amazon.awssdk.services.dynamodb.model.ConditionalCheckFailedException;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.TransactionCanceledException;

/** Beans that the SDK maps to items: a versioned record with a sort key and an index. */
class EnhancedClientTest extends Requests {
    private static final DynamoDbEnhancedClient ENHANCED = DynamoDbEnhancedClient.builder().dynamoDbClient(DB).build();
    /** Without the extension for versions: a batch has no conditions, and the SDK refuses to send a version in one. */
    private static final DynamoDbEnhancedClient PLAIN =
            DynamoDbEnhancedClient.builder().dynamoDbClient(DB).extensions(List.of()).build();

    @Test
    void aBeanComesBackWithItsVersionAndAStaleOneIsRefused() {
        withOrders(orders -> {
            Order sent = Order.of("ada", "1", "open");
            sent.setMarks(Set.of("gift", "new"));
            sent.setChanged(Instant.parse("2026-01-02T03:04:05.000000006Z"));
            orders.putItem(sent);
            Order found = orders.getItem(sent);
            assertEquals(Set.of("gift", "new"), found.getMarks());
            assertEquals(sent.getChanged(), found.getChanged());
            assertEquals(1L, found.getVersion());
            found.setState("paid");
            assertEquals(2L, orders.updateItem(found).getVersion());
            assertThrows(ConditionalCheckFailedException.class, () -> orders.updateItem(found));
            assertThrows(ConditionalCheckFailedException.class, () -> orders.putItem(Order.of("ada", "1", "open")));
            assertEquals("paid", orders.deleteItem(sent).getState());
            assertNull(orders.getItem(sent));
        });
    }

    @Test
    void queriesOfTheTableAndOfTheIndexMapEveryPage() {
        withOrders(orders -> {
            for (int day = 0; day < 7; day++) {
                orders.putItem(Order.of("ada", "" + day, day % 2 == 0 ? "open" : "paid"));
            }
            Key from = Key.builder().partitionValue("ada").sortValue("1").build();
            Key to = Key.builder().partitionValue("ada").sortValue("5").build();
            List<String> days = orders.query(b -> b.queryConditional(QueryConditional.sortBetween(from, to)).limit(2)
                            .filterExpression(Expression.builder().expression("#s = :open")
                                    .putExpressionName("#s", "state").putExpressionValue(":open", Server.s("open")).build()))
                    .items().stream().map(Order::getPlaced).toList();
            assertEquals(List.of("2", "4"), days);
            Key open = Key.builder().partitionValue("open").build();
            assertEquals(4, orders.index("by-state").query(QueryConditional.keyEqualTo(open)).stream()
                    .mapToInt(page -> page.items().size()).sum());
            assertEquals(7, orders.scan().items().stream().count());
        });
    }

    @Test
    void batchesAndTransactionsOfBeans() {
        withOrders(orders -> {
            DynamoDbTable<Order> plain = PLAIN.table(orders.tableName(), TableSchema.fromBean(Order.class));
            WriteBatch.Builder<Order> batch = WriteBatch.builder(Order.class).mappedTableResource(plain);
            ReadBatch.Builder<Order> read = ReadBatch.builder(Order.class).mappedTableResource(plain);
            for (int day = 0; day < 5; day++) {
                batch.addPutItem(Order.of("bob", "" + day, "open"));
                read.addGetItem(Order.of("bob", "" + day, null));
            }
            assertEquals(List.of(), PLAIN.batchWriteItem(b -> b.writeBatches(batch.build()))
                    .unprocessedPutItemsForTable(plain));
            assertEquals(5, PLAIN.batchGetItem(b -> b.readBatches(read.build())).resultsForTable(plain)
                    .stream().count());
            ENHANCED.transactWriteItems(b -> b.addPutItem(orders, Order.of("cy", "1", "open"))
                    .addDeleteItem(orders, Order.of("bob", "0", null)));
            var cancelled = assertThrows(TransactionCanceledException.class, () -> ENHANCED.transactWriteItems(
                    b -> b.addPutItem(orders, Order.of("cy", "2", "open")).addPutItem(orders, Order.of("cy", "1", "open"))));
            assertEquals("ConditionalCheckFailed", cancelled.cancellationReasons().get(1).code());
            assertNull(orders.getItem(Order.of("cy", "2", null)));
        });
    }

    /** Creates the table that the bean describes, and deletes it after the test. */
    private static void withOrders(Consumer<DynamoDbTable<Order>> test) {
        DynamoDbTable<Order> orders = ENHANCED.table(Server.name(), TableSchema.fromBean(Order.class));
        orders.createTable(b -> b.globalSecondaryIndices(i -> i.indexName("by-state")
                .projection(p -> p.projectionType(ProjectionType.ALL))));
        try (var waiter = DB.waiter()) {
            waiter.waitUntilTableExists(b -> b.tableName(orders.tableName()));
            test.accept(orders);
        } finally {
            orders.deleteTable();
        }
    }

    @DynamoDbBean
    public static class Order {
        private String customer;
        private String placed;
        private String state;
        private Set<String> marks;
        private Instant changed;
        private Long version;

        static Order of(String customer, String placed, String state) {
            Order order = new Order();
            order.customer = customer;
            order.placed = placed;
            order.state = state;
            return order;
        }

        @DynamoDbPartitionKey
        public String getCustomer() {
            return customer;
        }

        public void setCustomer(String customer) {
            this.customer = customer;
        }

        @DynamoDbSortKey
        @DynamoDbSecondarySortKey(indexNames = "by-state")
        public String getPlaced() {
            return placed;
        }

        public void setPlaced(String placed) {
            this.placed = placed;
        }

        @DynamoDbSecondaryPartitionKey(indexNames = "by-state")
        public String getState() {
            return state;
        }

        public void setState(String state) {
            this.state = state;
        }

        public Set<String> getMarks() {
            return marks;
        }

        public void setMarks(Set<String> marks) {
            this.marks = marks;
        }

        public Instant getChanged() {
            return changed;
        }

        public void setChanged(Instant changed) {
            this.changed = changed;
        }

        @DynamoDbVersionAttribute
        public Long getVersion() {
            return version;
        }

        public void setVersion(Long version) {
            this.version = version;
        }
    }
}
