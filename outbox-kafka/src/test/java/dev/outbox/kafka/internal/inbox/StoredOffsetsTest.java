package dev.outbox.kafka.internal.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.kafka.fixture.Receiver;
import dev.outbox.kafka.fixture.TestRecord;
import dev.outbox.kafka.internal.inbox.InboxSettings.Late;
import dev.outbox.kafka.internal.inbox.InboxSettings.UnknownTypes;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Offsets in the database, on PostgreSQL and without Kafka. */
class StoredOffsetsTest {

    private final Receiver receiver = new Receiver(Receiver.settings(null, Late.DEAD_LETTER, UnknownTypes.DEAD_LETTER));

    @AfterEach
    void close() {
        receiver.close();
    }

    @Test
    void gapsOfOffsetsAreNoSign() {
        receive(List.of(TestRecord.of("1", 1).at(5)));
        receive(List.of(TestRecord.of("1", 2).at(9), TestRecord.of("1", 3).at(14)));

        assertThat(offset()).isEqualTo(15);
        assertThat(events()).isEqualTo(3);
    }

    @Test
    void databaseThatMovedBackStoresNothing() {
        receive(List.of(TestRecord.of("1", 1).at(0), TestRecord.of("1", 2).at(1)));
        setOffset(1);

        assertThatThrownBy(() -> receive(List.of(TestRecord.of("1", 3).at(2))))
                .isInstanceOf(Inbox.OtherOffsetsException.class);
        assertThat(events()).isEqualTo(2);
        assertThat(offset()).isEqualTo(1);
    }

    @Test
    void consumerThatLostItsPartitionStoresNothing() {
        receive(List.of(TestRecord.of("1", 1).at(0)));
        Map<TopicPartition, StoredOffset> before = new HashMap<>(receiver.next);
        ConsumerRecord<byte[], byte[]> second = TestRecord.of("1", 2).at(1);
        receive(List.of(second, TestRecord.of("1", 3).at(2)));

        assertThatThrownBy(() -> receiver.inbox().receive(List.of(second), before))
                .isInstanceOf(Inbox.OtherOffsetsException.class);
        assertThat(offset()).isEqualTo(3);
        assertThat(events()).isEqualTo(3);
    }

    private void receive(List<ConsumerRecord<byte[], byte[]>> records) {
        receiver.inbox().receive(records, receiver.next);
    }

    @Test
    void storedRecordsSurviveACrash() {
        receiver.sql()
                .sql("CREATE TABLE public.seen AS SELECT current_setting('synchronous_commit') AS setting")
                .update();
        receiver.sql()
                .sql(
                        "CREATE FUNCTION public.see() RETURNS trigger LANGUAGE plpgsql AS"
                                + " $$ BEGIN INSERT INTO public.seen VALUES (current_setting('synchronous_commit')); RETURN NULL; END $$")
                .update();
        receiver.sql()
                .sql("CREATE TRIGGER see AFTER INSERT ON events.outbox_unpublished"
                        + " FOR EACH ROW EXECUTE FUNCTION public.see()")
                .update();
        receive(List.of(TestRecord.of("1", 1).at(0)));

        assertThat(receiver.sql()
                        .sql("SELECT setting FROM public.seen")
                        .query(String.class)
                        .list())
                .containsExactly("off", "on");
    }

    private long offset() {
        List<Long> offsets = receiver.sql()
                .sql(
                        "SELECT next_offset FROM events.outbox_inbox_offset WHERE consumer_group = 'orders' AND topic = 'orders'")
                .query(Long.class)
                .list();
        assertThat(offsets).hasSize(1);
        return offsets.get(0);
    }

    private void setOffset(long offset) {
        receiver.sql()
                .sql("UPDATE events.outbox_inbox_offset SET next_offset = ?")
                .param(offset)
                .update();
    }

    private long events() {
        return receiver.sql()
                .sql("SELECT count(*) FROM events.outbox")
                .query(Long.class)
                .single();
    }
}
