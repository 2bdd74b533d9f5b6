import java.util.Map;
import software.amazon.awssdk.services.dynamodb.DynamoDbClient;
import software.amazon.awssdk.services.dynamodb.model.QueryRequest;
import software.amazon.awssdk.services.dynamodb.model.ReturnValuesOnConditionCheckFailure;
import software.amazon.awssdk.services.dynamodb.model.TransactGetItem;
import software.amazon.awssdk.services.dynamodb.model.TransactWriteItem;

/** Requests that several tests send. */
abstract class Requests {
    static final DynamoDbClient DB = Server.DB;

    /** A query from the last day to day 1, two items a page. */
    static QueryRequest.Builder descending(QueryRequest.Builder b, String table, String attribute, String value) {
        return b.tableName(table).limit(2).scanIndexForward(false)
                .keyConditionExpression("#a = :v AND placed >= :first")
                .expressionAttributeNames(Map.of("#a", attribute))
                .expressionAttributeValues(Map.of(":v", Server.s(value), ":first", Server.s("1")));
    }

    static TransactWriteItem insert(String table, String customer, String placed) {
        return TransactWriteItem.builder().put(p -> p.tableName(table).item(Server.keyOf(customer, placed))
                .conditionExpression("attribute_not_exists(customer)")
                .returnValuesOnConditionCheckFailure(ReturnValuesOnConditionCheckFailure.ALL_OLD)).build();
    }

    static TransactGetItem get(String table, String customer, String placed) {
        return TransactGetItem.builder().get(g -> g.tableName(table).key(Server.keyOf(customer, placed))).build();
    }
}
