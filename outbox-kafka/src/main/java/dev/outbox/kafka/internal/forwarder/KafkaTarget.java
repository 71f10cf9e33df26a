package dev.outbox.kafka.internal.forwarder;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.outbox.forwarding.internal.Fault;
import dev.outbox.forwarding.internal.MessageTarget;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Utils;
import org.jspecify.annotations.Nullable;

/** Kafka, through the producer of all routes. Partitions fail together, and topics if the partition of a record is not known. */
public final class KafkaTarget implements MessageTarget<ProducerRecord<Object, Object>> {

    private final SharedProducer producers;

    public KafkaTarget(SharedProducer producers) {
        this.producers = producers;
    }

    @Override
    public void open() {
        producers.open();
    }

    @Override
    public String destination(ProducerRecord<Object, Object> record) {
        return record.topic();
    }

    /** Blocks for {@code max.block.ms} while the topic is unknown to the producer. */
    @Override
    public Object unit(ProducerRecord<Object, Object> record) {
        String topic = record.topic();
        int partitions = call((producer) -> producer.partitionsFor(topic)).size();
        Integer chosen = record.partition();
        if (chosen != null && chosen >= partitions && partitions > 0) {
            throw new IllegalArgumentException("the KafkaRecordMapper has chosen partition " + chosen + " of topic "
                    + topic + ", which has " + partitions);
        }
        byte[] key = bytes(record.key());
        if (chosen == null && (key == null || partitions == 0)) {
            return topic;
        }
        return new TopicPartition(topic, chosen != null ? chosen : Utils.toPositive(Utils.murmur2(key)) % partitions);
    }

    /** Returns the key as Kafka's default partitioner sees it; {@code null} if only a serializer of the application knows. */
    private static byte @Nullable [] bytes(@Nullable Object key) {
        return key instanceof String text ? text.getBytes(UTF_8) : key instanceof byte[] bytes ? bytes : null;
    }

    @Override
    public CompletionStage<?> send(ProducerRecord<Object, Object> record) {
        CompletableFuture<Object> acknowledged = new CompletableFuture<>();
        call((producer) -> producer.send(record, (metadata, ex) -> {
            if (ex == null) {
                acknowledged.complete(metadata);
            } else {
                acknowledged.completeExceptionally(ex);
            }
        }));
        return acknowledged;
    }

    /** A producer that throws because of an error that it does not leave, or since it was closed, is replaced. */
    private <T> T call(Function<Producer<Object, Object>, T> work) {
        Producer<Object, Object> producer = producers.get();
        try {
            return work.apply(producer);
        } catch (KafkaException ex) {
            if (SendFailure.isOfProducer(ex)) {
                producers.discard(producer);
            }
            throw ex;
        } catch (IllegalStateException ex) {
            if (producers.isCurrent(producer)) {
                throw ex;
            }
            throw new KafkaException(ex.getMessage(), ex);
        }
    }

    @Override
    public Fault classify(ProducerRecord<Object, Object> record, Throwable failure) {
        return SendFailure.of(record.topic(), failure);
    }

    @Override
    public void replace() {
        producers.replace();
    }

    @Override
    public void close() {
        producers.close();
    }
}
