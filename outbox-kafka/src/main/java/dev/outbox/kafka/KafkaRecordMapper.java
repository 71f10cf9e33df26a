package dev.outbox.kafka;

import dev.outbox.EventEnvelope;
import org.apache.kafka.clients.producer.ProducerRecord;

/**
 * Changes the Kafka records of forwarded events. A route uses the bean that {@code outbox.kafka.routes.<name>.mapper} names, else the only
 * or primary bean of this type.
 *
 * <p>The mapper runs when an event is delivered, on the thread of the delivery and without a transaction, never in the transaction of the
 * publisher. An exception fails the attempt for this event; the retry policy of the handler {@code kafka-<route>} applies, and the later
 * events of the aggregate wait. The other events of the batch are sent.
 */
@FunctionalInterface
public interface KafkaRecordMapper {

    /**
     * Returns the record to send, for example with another key, another partition, more headers, or a value for the serializer that
     * {@code outbox.kafka.producer.properties} names.
     *
     * @param event the event
     * @param proposed the record that is sent without a mapper: the payload as UTF-8 encoded JSON in a {@code byte[]}, and the headers of
     *     CloudEvents
     * @return the proposed record or another one, also for another topic
     */
    ProducerRecord<Object, Object> map(EventEnvelope event, ProducerRecord<Object, Object> proposed);
}
