package dev.outbox.kafka.internal.forwarder;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.outbox.RetryAfterException;
import dev.outbox.kafka.internal.forwarder.RecordSender.Sending;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

class RecordSenderTest {

    private static final TimeoutException NO_METADATA =
            new TimeoutException("Topic orders not present in metadata after 5000 ms.");

    private final List<String> tried = new ArrayList<>();
    private final List<Producer<Object, Object>> closed = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong();
    private Function<String, CompletableFuture<RecordMetadata>> answers =
            (topic) -> CompletableFuture.completedFuture(null);
    private Producer<Object, Object> latest = new Answering();

    private final SharedProducer producers = new SharedProducer(
            () -> {
                latest = new Answering();
                return latest;
            },
            () -> closed.add(latest));

    @Test
    void topicWithoutMetadataIsNotTriedAgainForAWhile() throws InterruptedException {
        RecordSender sender = sender(Duration.ofSeconds(20));
        answers = (topic) -> CompletableFuture.failedFuture(NO_METADATA);

        SendFailure first = failure(sender, "orders");
        SendFailure second = failure(sender, "orders");
        failure(sender, "payments");

        assertThat(first.cause()).isInstanceOf(RetryAfterException.class);
        assertThat(second).isEqualTo(first);
        assertThat(tried).containsExactly("orders", "payments");

        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        answers = (topic) -> CompletableFuture.completedFuture(null);
        assertThat(failure(sender, "orders")).isNull();
        assertThat(tried).containsExactly("orders", "payments", "orders");
    }

    @Test
    void refusedRecordDoesNotStopItsTopic() throws InterruptedException {
        RecordSender sender = sender(Duration.ofSeconds(20));
        answers = (topic) -> CompletableFuture.failedFuture(new RecordTooLargeException("too large"));

        failure(sender, "orders");
        failure(sender, "orders");

        assertThat(tried).hasSize(2);
    }

    @Test
    void unansweredRecordIsGivenUpAndItsProducerReplaced() throws InterruptedException {
        RecordSender sender = sender(Duration.ZERO);
        answers = (topic) -> new CompletableFuture<>();

        Sending one = sender.send(new ProducerRecord<>("orders", "1"));
        Sending other = sender.send(new ProducerRecord<>("payments", "2"));
        Producer<Object, Object> first = latest;

        assertThat(sender.await(one).cause())
                .isInstanceOf(RetryAfterException.class)
                .hasMessageContaining("orders");
        assertThat(closed).containsExactly(first);

        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        sender.send(new ProducerRecord<>("orders", "3"));
        sender.await(other);
        assertThat(latest).isNotSameAs(first);
        assertThat(closed).as("the new producer stays open").containsExactly(first);
    }

    @Test
    void producerWithoutAcknowledgementForAMinuteIsReplaced() throws InterruptedException {
        RecordSender sender = sender(Duration.ofSeconds(20));
        TimeoutException expired = new TimeoutException("Expiring 2 record(s) for orders-2");
        failure(sender, "orders");
        Producer<Object, Object> first = latest;
        answers = (topic) -> CompletableFuture.failedFuture(expired);

        nanos.addAndGet(Duration.ofSeconds(59).toNanos());
        failure(sender, "orders");
        assertThat(closed).isEmpty();
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        failure(sender, "orders");
        assertThat(closed).containsExactly(first);

        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        failure(sender, "orders");
        assertThat(latest).isNotSameAs(first);
        assertThat(closed).as("the new producer has a minute too").containsExactly(first);
    }

    @Test
    void producerThatCannotBeCreatedFailsTheEvent() throws InterruptedException {
        SharedProducer broken = new SharedProducer(
                () -> {
                    throw new KafkaException("Failed to construct kafka producer");
                },
                () -> closed.add(latest));

        SendFailure failure = failure(new RecordSender(broken, Duration.ofSeconds(20), nanos::get), "orders");

        assertThat(failure.cause()).hasMessageContaining("Failed to construct kafka producer");
        assertThat(closed).isEmpty();
    }

    @Test
    void noProducerIsCreatedAfterClose() throws InterruptedException {
        RecordSender sender = sender(Duration.ofSeconds(20));
        failure(sender, "orders");
        producers.close();

        assertThat(failure(sender, "orders").cause()).isInstanceOf(RetryAfterException.class);
        assertThat(closed).containsExactly(latest);

        producers.open();
        nanos.addAndGet(Duration.ofSeconds(5).toNanos());
        assertThat(failure(sender, "orders")).isNull();
    }

    @Test
    void interruptedSendEndsTheBatch() {
        RecordSender sender = sender(Duration.ofSeconds(20));
        answers = (topic) -> {
            throw new InterruptException("stop");
        };

        assertThatThrownBy(() -> sender.send(new ProducerRecord<>("orders", "1")))
                .isInstanceOf(InterruptedException.class);
        assertThat(Thread.interrupted()).isFalse();
    }

    private RecordSender sender(Duration patience) {
        return new RecordSender(producers, patience, nanos::get);
    }

    private static SendFailure failure(RecordSender sender, String topic) throws InterruptedException {
        return sender.await(sender.send(new ProducerRecord<>(topic, "value")));
    }

    private final class Answering extends MockProducer<Object, Object> {

        @Override
        public Future<RecordMetadata> send(ProducerRecord<Object, Object> record, Callback callback) {
            tried.add(record.topic());
            return answers.apply(record.topic());
        }

        @Override
        public Future<RecordMetadata> send(ProducerRecord<Object, Object> record) {
            return send(record, null);
        }
    }
}
