package dev.outbox.kafka.autoconfigure;

import dev.outbox.internal.failure.Failure;
import dev.outbox.kafka.internal.inbox.Inbox;
import dev.outbox.kafka.internal.inbox.InboxConsumer;
import dev.outbox.spring.internal.HealthDetails;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Starts the consumers of the inboxes after the outbox, and stops them before it. */
final class InboxLifecycle implements SmartLifecycle, HealthDetails {

    private static final Logger log = LoggerFactory.getLogger(InboxLifecycle.class);

    /** After the phase of the outbox. */
    private static final int PHASE = DEFAULT_PHASE - 512;

    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    private final List<InboxConsumer> consumers;
    private final boolean enabled;
    private volatile boolean running;

    InboxLifecycle(List<InboxConsumer> consumers, boolean enabled) {
        this.consumers = List.copyOf(consumers);
        this.enabled = enabled;
    }

    /** Spring does not stop what has not started: the consumers of a failed start would continue without the application. */
    @Override
    public void start() {
        if (!enabled) {
            log.info("Inboxes receive nothing here, because outbox.poller.enabled is false");
        } else {
            try {
                consumers.forEach(InboxConsumer::start);
            } catch (RuntimeException | Error ex) {
                stop();
                throw ex;
            }
            consumers.stream().map(InboxConsumer::inbox).distinct().forEach(InboxLifecycle::report);
        }
        running = true;
    }

    private static void report(Inbox inbox) {
        log.info(
                "Inbox {} receives {} in the group {}",
                inbox.name(),
                inbox.settings().topics(),
                inbox.settings().group());
    }

    /** Lists the inboxes that receive nothing, and why. */
    @Override
    public Map<String, Object> get() {
        Map<String, String> stopped = stopped();
        return stopped.isEmpty() ? Map.of() : Map.of("stoppedInboxes", stopped);
    }

    private Map<String, String> stopped() {
        Map<String, String> stopped = new TreeMap<>();
        consumers.forEach((consumer) -> {
            String problem = consumer.problem();
            if (problem != null) {
                stopped.put(consumer.inbox().name(), problem);
            }
        });
        return stopped;
    }

    /** Names them in the signs of life of this instance. */
    Set<String> named() {
        return stopped().entrySet().stream()
                .map((inbox) -> new Failure(inbox.getKey(), inbox.getValue()))
                .map((stopped) -> stopped.code() + ": " + stopped.message())
                .collect(Collectors.toSet());
    }

    /** Stops all consumers at the same time: each takes seconds to leave its group while the broker does not answer. */
    @Override
    public void stop() {
        consumers.forEach(InboxConsumer::stopSoon);
        CompletableFuture.allOf(consumers.stream()
                        .map((consumer) -> CompletableFuture.runAsync(
                                () -> consumer.close(SHUTDOWN_TIMEOUT), InboxLifecycle::onThreadOfItsOwn))
                        .toArray(CompletableFuture[]::new))
                .join();
        running = false;
    }

    private static void onThreadOfItsOwn(Runnable work) {
        try {
            new Thread(work, "outbox-inbox-stop").start();
        } catch (OutOfMemoryError ex) {
            work.run();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
