import java.net.URI;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import software.amazon.awssdk.auth.credentials.AwsBasicCredentials;
import software.amazon.awssdk.auth.credentials.StaticCredentialsProvider;
import software.amazon.awssdk.awscore.client.builder.AwsClientBuilder;
import software.amazon.awssdk.core.SdkBytes;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.AttributeDefinition;
import software.amazon.awssdk.services.dynamodb.model.AttributeValue;
import software.amazon.awssdk.services.dynamodb.model.BillingMode;
import software.amazon.awssdk.services.dynamodb.model.CreateTableRequest;
import software.amazon.awssdk.services.dynamodb.model.GlobalSecondaryIndex;
import software.amazon.awssdk.services.dynamodb.model.KeySchemaElement;
import software.amazon.awssdk.services.dynamodb.model.KeyType;
import software.amazon.awssdk.services.dynamodb.model.ProjectionType;
import software.amazon.awssdk.services.dynamodb.model.ScalarAttributeType;

/** The server under test, and tables on it: orders by customer and day, with an index by state. */
final class Server {
    static final DynamoDbClient DB = at(DynamoDbClient.builder()).build();

    private Server() {}

    /** Points a client at the server. */
    static <B extends AwsClientBuilder<B, C>, C> B at(B builder) {
        String endpoint = System.getenv("HASHRANGE_ENDPOINT");
        if (endpoint == null) {
            throw new IllegalStateException("HASHRANGE_ENDPOINT names the server");
        }
        return builder.endpointOverride(URI.create(endpoint))
                .region(Region.US_EAST_1)
                .credentialsProvider(StaticCredentialsProvider.create(AwsBasicCredentials.create("any", "any")));
    }

    static String name() {
        return "java-" + java.util.UUID.randomUUID();
    }

    static CreateTableRequest.Builder orders(String name) {
        return CreateTableRequest.builder()
                .tableName(name)
                .billingMode(BillingMode.PAY_PER_REQUEST)
                .attributeDefinitions(text("customer"), text("placed"), text("state"))
                .keySchema(key("customer", KeyType.HASH), key("placed", KeyType.RANGE))
                .globalSecondaryIndexes(GlobalSecondaryIndex.builder()
                        .indexName("by-state")
                        .keySchema(key("state", KeyType.HASH), key("placed", KeyType.RANGE))
                        .projection(p -> p.projectionType(ProjectionType.ALL))
                        .build());
    }

    /** Creates a table of orders, waits for it, and deletes it after the test. */
    static void withOrders(Consumer<String> test) {
        String name = name();
        DB.createTable(orders(name).build());
        try (var waiter = DB.waiter()) {
            waiter.waitUntilTableExists(b -> b.tableName(name));
            test.accept(name);
            DB.deleteTable(b -> b.tableName(name));
            waiter.waitUntilTableNotExists(b -> b.tableName(name));
        }
    }

    static AttributeDefinition text(String name) {
        return AttributeDefinition.builder().attributeName(name).attributeType(ScalarAttributeType.S).build();
    }

    static KeySchemaElement key(String name, KeyType type) {
        return KeySchemaElement.builder().attributeName(name).keyType(type).build();
    }

    static AttributeValue s(String value) {
        return AttributeValue.fromS(value);
    }

    static AttributeValue n(long value) {
        return AttributeValue.fromN(Long.toString(value));
    }

    static AttributeValue b(int... bytes) {
        byte[] array = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            array[i] = (byte) bytes[i];
        }
        return AttributeValue.fromB(SdkBytes.fromByteArray(array));
    }

    static Map<String, AttributeValue> keyOf(String customer, String placed) {
        return Map.of("customer", s(customer), "placed", s(placed));
    }

    static Map<String, AttributeValue> order(String customer, String placed, String state, long total) {
        return Map.of("customer", s(customer), "placed", s(placed), "state", s(state), "total", n(total));
    }

    static void put(String table, Map<String, AttributeValue> item) {
        DB.putItem(b -> b.tableName(table).item(item));
    }

    static String days(Iterable<Map<String, AttributeValue>> items) {
        return java.util.stream.StreamSupport.stream(items.spliterator(), false)
                .map(item -> item.get("placed").s())
                .collect(Collectors.joining());
    }
}
