import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import software.amazon.awssdk.services.dynamodb.model.*;
import software.amazon.awssdk.services.dynamodb.model.Record;
import software.amazon.awssdk.services.dynamodb.streams.DynamoDbStreamsClient;

/** The client of streams: the changes of a table, with the item before and after each. */
class StreamsTest extends Requests {
    @Test
    void everyChangeIsReadInItsOrder() {
        String table = Server.name();
        String arn = DB.createTable(Server.orders(table).streamSpecification(
                s -> s.streamEnabled(true).streamViewType(StreamViewType.NEW_AND_OLD_IMAGES)).build())
                .tableDescription().latestStreamArn();
        try (var waiter = DB.waiter(); var streams = Server.at(DynamoDbStreamsClient.builder()).build()) {
            waiter.waitUntilTableExists(b -> b.tableName(table));
            Server.put(table, Server.order("ada", "1", "open", 1));
            Server.put(table, Server.order("ada", "1", "paid", 1));
            Server.put(table, Server.order("ada", "1", "paid", 1));
            DB.deleteItem(b -> b.tableName(table).key(Server.keyOf("ada", "1")));
            assertEquals(arn, streams.listStreams(b -> b.tableName(table)).streams().get(0).streamArn());
            StreamDescription told = streams.describeStream(b -> b.streamArn(arn)).streamDescription();
            assertEquals(StreamStatus.ENABLED, told.streamStatus());
            assertEquals(StreamViewType.NEW_AND_OLD_IMAGES, told.streamViewType());
            List<Record> records = new ArrayList<>();
            for (Shard shard : told.shards()) {
                records.addAll(read(streams, arn, shard.shardId()));
            }
            assertEquals(List.of(OperationType.INSERT, OperationType.MODIFY, OperationType.REMOVE),
                    records.stream().map(Record::eventName).toList());
            StreamRecord change = records.get(1).dynamodb();
            assertEquals(Server.keyOf("ada", "1"), change.keys());
            assertEquals(Server.order("ada", "1", "open", 1), change.oldImage());
            assertEquals(Server.order("ada", "1", "paid", 1), change.newImage());
            assertTrue(change.sizeBytes() > 0);
            assertFalse(records.get(2).dynamodb().hasNewImage());
        } finally {
            DB.deleteTable(b -> b.tableName(table));
        }
    }

    /** Reads a shard until a page has nothing or the shard ends. */
    private static List<Record> read(DynamoDbStreamsClient streams, String arn, String shard) {
        List<Record> records = new ArrayList<>();
        String place = streams.getShardIterator(b -> b.streamArn(arn).shardId(shard)
                .shardIteratorType(ShardIteratorType.TRIM_HORIZON)).shardIterator();
        while (place != null) {
            String from = place;
            GetRecordsResponse page = streams.getRecords(b -> b.shardIterator(from).limit(2));
            records.addAll(page.records());
            place = page.records().isEmpty() ? null : page.nextShardIterator();
        }
        return records;
    }
}
