package dev.outbox.kafka;

import dev.outbox.OutboxEvent;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.jspecify.annotations.Nullable;

/**
 * Reads the records of an inbox, for topics that have no CloudEvents. The property {@code outbox.kafka.inboxes.<name>.mapper} names the
 * bean.
 *
 * <p>The mapper runs on the thread of the consumer without a transaction, and again when an operator retries a refused record. It must
 * return an equal event for an equal record.
 */
@FunctionalInterface
public interface InboxRecordMapper {

    /**
     * Returns the event of a record. What the event leaves out comes from the record: the id from its position and content, the time from
     * its timestamp, and the origin from its topic. Events without a sequence are numbered in the order in which they are stored, which is
     * that of their partition; either all events of an aggregate type have one, or none. The event type is required.
     *
     * @param record the record
     * @return the event, or {@code null} to ignore the record
     * @throws dev.outbox.RetryAfterException if the record cannot be read now: the inbox repeats the poll until it can
     * @throws Exception if the record is refused: it becomes a dead letter with the message of the exception
     */
    @Nullable
    OutboxEvent map(ConsumerRecord<byte[], byte[]> record) throws Exception;
}
