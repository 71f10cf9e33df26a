package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.failure.Redaction;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.BatchConsumerAwareMessageListener;
import org.springframework.kafka.listener.CommonErrorHandler;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;
import org.springframework.kafka.listener.ContainerProperties;
import org.springframework.kafka.listener.ContainerProperties.AckMode;
import org.springframework.kafka.listener.ListenerUtils;
import org.springframework.kafka.listener.MessageListenerContainer;

/**
 * Consumes the topics of an inbox: commits the offsets of a poll after its transaction, and repeats the poll for as long as the transaction
 * fails. Reports an outage once, and its end.
 */
public final class InboxConsumer implements BatchConsumerAwareMessageListener<byte[], byte[]>, CommonErrorHandler {

    private static final Logger log = LoggerFactory.getLogger(InboxConsumer.class);

    private static final Duration AUTHENTICATION_INTERVAL = Duration.ofSeconds(30);
    private static final int FIRST_DELAY_MILLIS = 200;
    private static final int LARGEST_DOUBLINGS = 6;

    private final Inbox inbox;
    private final Rewinding rewinding;
    private final ConsumerThreads threads;

    /** Failures in a row of each consumer thread. */
    private final ThreadLocal<Integer> failures = ThreadLocal.withInitial(() -> 0);

    public InboxConsumer(Inbox inbox) {
        this.inbox = inbox;
        this.rewinding = new Rewinding(inbox.settings().name(), inbox.offsets());
        this.threads = new ConsumerThreads(inbox.settings().handlerId());
    }

    ConsumerThreads threads() {
        return threads;
    }

    /** Creates a container that has not started. */
    public ConcurrentMessageListenerContainer<byte[], byte[]> container(ConsumerFactory<byte[], byte[]> consumers) {
        InboxSettings.Source source = inbox.settings().source();
        ContainerProperties properties = new ContainerProperties(source.topics().toArray(String[]::new));
        properties.setGroupId(source.group());
        properties.setAckMode(AckMode.BATCH);
        properties.setMessageListener(this);
        properties.setListenerTaskExecutor(threads);
        properties.setAuthExceptionRetryInterval(AUTHENTICATION_INTERVAL);
        properties.setConsumerRebalanceListener(rewinding);
        properties.setOffsetAndMetadataProvider((metadata, offset) -> rewinding.marked(offset));
        ConcurrentMessageListenerContainer<byte[], byte[]> container =
                new ConcurrentMessageListenerContainer<>(consumers, properties);
        container.setConcurrency(source.concurrency());
        container.setCommonErrorHandler(this);
        container.setBatchInterceptor(rewinding);
        container.setBeanName(inbox.settings().handlerId());
        return container;
    }

    @Override
    public void onMessage(List<ConsumerRecord<byte[], byte[]>> records, @Nullable Consumer<?, ?> consumer) {
        rewinding.learn(Objects.requireNonNull(consumer));
        try {
            inbox.receive(records);
        } catch (Error ex) {
            // Spring Kafka ends the consumer for good on an Error.
            throw new IllegalStateException(
                    "storing the records of inbox " + inbox.settings().name() + " failed", ex);
        }
        if (failures.get() > 0) {
            log.info("Inbox {} stores records again", inbox.settings().name());
            failures.remove();
        }
    }

    @Override
    public boolean seeksAfterHandling() {
        return true;
    }

    @Override
    public boolean isAckAfterHandle() {
        return false;
    }

    @Override
    public void handleBatch(
            Exception thrown,
            ConsumerRecords<?, ?> data,
            Consumer<?, ?> consumer,
            MessageListenerContainer container,
            Runnable invokeListener) {
        data.partitions()
                .forEach((partition) ->
                        consumer.seek(partition, data.records(partition).get(0).offset()));
        OtherOffsetsException other = OtherOffsetsException.in(thrown);
        if (other != null) {
            rewinding.seek(consumer, other.stored());
            return;
        }
        pauseAfter(
                thrown, "Inbox {} cannot store its records; it repeats them until it can, and skips none", container);
    }

    /** Logs the first failure in a row, and waits longer after each. */
    private void pauseAfter(Exception thrown, String message, MessageListenerContainer container) {
        int before = failures.get();
        failures.set(before + 1);
        if (before == 0) {
            log.error(message, inbox.settings().name(), Redaction.loggable(thrown));
        }
        try {
            ListenerUtils.stoppableSleep(container, (long) FIRST_DELAY_MILLIS << Math.min(before, LARGEST_DOUBLINGS));
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
    }

    /** What was polled is stored: Kafka refused a poll, or the commit of offsets, which the next poll repeats. */
    @Override
    public void handleOtherException(
            Exception thrown, Consumer<?, ?> consumer, MessageListenerContainer container, boolean batchListener) {
        pauseAfter(thrown, "The consumer of inbox {} cannot poll or commit; it tries again until it can", container);
    }
}
