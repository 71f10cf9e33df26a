package dev.outbox.kafka.internal.inbox;

import dev.outbox.internal.failure.Redaction;
import java.time.Duration;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.kafka.core.ConsumerFactory;
import org.springframework.kafka.listener.ConcurrentMessageListenerContainer;

/**
 * Inbox with consumers that are replaced, with backoff, when one of them has ended, and that are paused together with the handler of the
 * inbox. They start paused, until the database has answered whether they are.
 */
public final class SupervisedInbox {

    private static final Logger log = LoggerFactory.getLogger(SupervisedInbox.class);

    private static final Duration FIRST_DELAY = Duration.ofSeconds(1);
    private static final Duration LONGEST_DELAY = Duration.ofMinutes(1);

    private final Inbox inbox;
    private final ConsumerFactory<byte[], byte[]> consumers;
    private final LongSupplier nanos;

    private @Nullable ConcurrentMessageListenerContainer<byte[], byte[]> container;
    private @Nullable ConsumerThreads threads;
    private boolean paused = true;
    private volatile @Nullable String problem;
    private Duration delay = FIRST_DELAY;
    private long changedAt;

    public SupervisedInbox(Inbox inbox, ConsumerFactory<byte[], byte[]> consumers, LongSupplier nanos) {
        this.inbox = inbox;
        this.consumers = consumers;
        this.nanos = nanos;
    }

    public InboxSettings settings() {
        return inbox.settings();
    }

    /** Returns why the inbox does not run, or {@code null} if it runs. */
    public @Nullable String problem() {
        return problem;
    }

    /** Starts new consumers. */
    public synchronized void start() {
        changedAt = nanos.getAsLong();
        InboxConsumer consumer = new InboxConsumer(inbox);
        ConcurrentMessageListenerContainer<byte[], byte[]> started = consumer.container(consumers);
        threads = consumer.threads();
        container = started;
        if (paused) {
            started.pause();
        }
        started.start();
    }

    /** Pauses or resumes the consumers, if that is not done. */
    public synchronized void pause(boolean wanted) {
        ConcurrentMessageListenerContainer<byte[], byte[]> running = container;
        if (running == null || wanted == paused) {
            return;
        }
        paused = wanted;
        if (paused) {
            log.info("Inbox {} pauses with its handler", settings().name());
            running.pause();
        } else {
            running.resume();
        }
    }

    /** Replaces consumers of which one has ended. */
    public synchronized void supervise() {
        ConcurrentMessageListenerContainer<byte[], byte[]> current = container;
        ConsumerThreads alive = threads;
        if (current == null || alive == null) {
            return;
        }
        Duration since = Duration.ofNanos(nanos.getAsLong() - changedAt);
        if (current.isRunning() && alive.areAlive(settings().source().concurrency())) {
            if (problem != null) {
                problem = null;
                log.info("Inbox {} runs again", settings().name());
            }
            if (since.compareTo(LONGEST_DELAY) > 0) {
                delay = FIRST_DELAY;
            }
        } else if (problem == null) {
            changedAt = nanos.getAsLong();
            Throwable failure = alive.failure();
            String reason = failure == null ? "one of its consumers has ended" : describe(failure);
            problem = reason;
            log.error(
                    "Inbox {} does not run: {}; new consumers start in {}",
                    settings().name(),
                    reason,
                    delay);
        } else if (since.compareTo(delay) >= 0) {
            delay = delay.multipliedBy(2).compareTo(LONGEST_DELAY) < 0 ? delay.multipliedBy(2) : LONGEST_DELAY;
            restart(current);
        }
    }

    private void restart(ConcurrentMessageListenerContainer<byte[], byte[]> ended) {
        try {
            ended.stop(() -> {});
            start();
        } catch (RuntimeException | Error ex) {
            problem = describe(ex);
        }
    }

    /** Stops the consumers, and calls back when they have ended. */
    public synchronized void stop(Runnable stopped) {
        ConcurrentMessageListenerContainer<byte[], byte[]> running = container;
        container = null;
        problem = null;
        paused = true;
        if (running == null) {
            stopped.run();
        } else {
            running.stop(stopped);
        }
    }

    private static String describe(Throwable failure) {
        return failure.getClass().getName() + ": " + Redaction.message(failure);
    }
}
