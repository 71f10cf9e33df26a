package dev.outbox.kafka.internal.forwarder;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.LongSupplier;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InterruptException;
import org.jspecify.annotations.Nullable;

/**
 * Sends records and waits for their acknowledgements. After a topic has failed, its records fail at once for a while, because each further
 * attempt would block the thread again. Safe for use by many threads.
 */
public final class RecordSender {

    /** Shorter than the interval in which an open circuit probes. */
    private static final Duration PAUSE = Duration.ofSeconds(4);

    /** A producer that fails after so long without an acknowledgement is replaced: after expired credentials, one may never send again. */
    private static final Duration STUCK_AFTER = Duration.ofMinutes(1);

    private final SharedProducer producers;
    private final Duration patience;
    private final LongSupplier nanos;
    private final Map<String, Pause> pauses = new ConcurrentHashMap<>();

    /** When the producer was replaced or has got an acknowledgement. */
    private volatile long worked;

    /**
     * Creates a sender.
     *
     * @param producers the producer
     * @param patience how long the producer may take to complete a record
     * @param nanos the monotonic time
     */
    public RecordSender(SharedProducer producers, Duration patience, LongSupplier nanos) {
        this.producers = producers;
        this.patience = patience;
        this.nanos = nanos;
        this.worked = nanos.getAsLong();
    }

    /** Topic that is not tried for a while, because of a failure. */
    private record Pause(long until, SendFailure failure) {}

    /** Record on its way, or a record that could not be handed to the producer. */
    record Sending(
            String topic,
            @Nullable Producer<Object, Object> producer,
            Future<?> future,
            long deadline,
            @Nullable SendFailure failure) {

        static Sending failed(String topic, SendFailure failure) {
            return new Sending(topic, null, new CompletableFuture<>(), 0, failure);
        }
    }

    /** Hands a record to the producer. Blocks for {@code max.block.ms} while the topic is unknown to the producer. */
    Sending send(ProducerRecord<Object, Object> record) throws InterruptedException {
        String topic = record.topic();
        Pause pause = pauses.get(topic);
        if (pause != null && nanos.getAsLong() - pause.until() < 0) {
            return Sending.failed(topic, pause.failure().untried());
        }
        Producer<Object, Object> producer = null;
        Future<?> future;
        try {
            producer = producers.get();
            future = producer.send(record);
        } catch (InterruptException ex) {
            throw interrupted(ex);
        } catch (RuntimeException ex) {
            future = CompletableFuture.failedFuture(ex);
        }
        Sending sending = new Sending(topic, producer, future, nanos.getAsLong() + patience.toNanos(), null);
        if (future.isDone()) {
            // A record that could not be buffered pauses its topic before the next record of the wave.
            SendFailure failure = await(sending);
            return failure == null ? sending : Sending.failed(topic, failure);
        }
        return sending;
    }

    /** Waits for an acknowledgement, and returns the failure if there is none. */
    @Nullable
    SendFailure await(Sending sending) throws InterruptedException {
        if (sending.failure() != null) {
            return sending.failure();
        }
        SendFailure failure;
        try {
            sending.future().get(Math.max(0, sending.deadline() - nanos.getAsLong()), TimeUnit.NANOSECONDS);
            worked = nanos.getAsLong();
            return null;
        } catch (TimeoutException ex) {
            failure = SendFailure.unanswered(sending.topic(), patience);
        } catch (ExecutionException ex) {
            failure = SendFailure.of(sending.topic(), ex.getCause() == null ? ex : ex.getCause());
        }
        if (failure.scope() != SendFailure.Scope.RECORD) {
            pauses.put(sending.topic(), new Pause(nanos.getAsLong() + PAUSE.toNanos(), failure));
        }
        Producer<Object, Object> producer = sending.producer();
        if (producer != null && isBroken(failure)) {
            worked = nanos.getAsLong();
            producers.discard(producer);
        }
        return failure;
    }

    private boolean isBroken(SendFailure failure) {
        return failure.scope() == SendFailure.Scope.PRODUCER
                || (failure.isOfEnvironment() && nanos.getAsLong() - worked > STUCK_AFTER.toNanos());
    }

    private static InterruptedException interrupted(InterruptException ex) {
        Thread.interrupted();
        InterruptedException interrupted = new InterruptedException(ex.getMessage());
        interrupted.initCause(ex);
        return interrupted;
    }
}
