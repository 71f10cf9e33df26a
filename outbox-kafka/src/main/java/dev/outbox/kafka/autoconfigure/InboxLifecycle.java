package dev.outbox.kafka.autoconfigure;

import dev.outbox.internal.background.BackgroundLoop;
import dev.outbox.internal.runtime.HealthDetails;
import dev.outbox.kafka.internal.forwarder.TopicCheck;
import dev.outbox.kafka.internal.inbox.PausedInboxes;
import dev.outbox.kafka.internal.inbox.SupervisedInbox;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/** Starts the consumers of the inboxes after the outbox, keeps them running, and stops them before it. */
final class InboxLifecycle implements SmartLifecycle, HealthDetails {

    private static final Logger log = LoggerFactory.getLogger(InboxLifecycle.class);

    /** After the phase of the outbox. */
    private static final int PHASE = DEFAULT_PHASE - 512;

    private static final Duration INTERVAL = Duration.ofSeconds(1);
    private static final Duration SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    private final List<SupervisedInbox> inboxes;
    private final PausedInboxes paused;
    private final TopicCheck check;
    private final boolean enabled;
    private final BackgroundLoop supervision = new BackgroundLoop("outbox-kafka-inboxes", this::supervise);
    private volatile boolean running;
    private volatile @Nullable Thread checking;

    InboxLifecycle(List<SupervisedInbox> inboxes, PausedInboxes paused, TopicCheck check, boolean enabled) {
        this.inboxes = inboxes;
        this.paused = paused;
        this.check = check;
        this.enabled = enabled;
    }

    @Override
    public void start() {
        if (enabled) {
            inboxes.stream()
                    .map(SupervisedInbox::settings)
                    .forEach((inbox) -> log.info(
                            "Inbox {} receives {} in the group {}",
                            inbox.name(),
                            inbox.source().topics(),
                            inbox.source().group()));
            Thread thread = new Thread(check, "outbox-kafka-inbox-topics");
            thread.setDaemon(true);
            thread.start();
            checking = thread;
            startInboxes();
        } else {
            log.info("Inboxes receive nothing here, because outbox.poller.enabled is false");
        }
        running = true;
    }

    /** Spring does not stop what has not started: the consumers of a failed start would continue without the application. */
    private void startInboxes() {
        try {
            inboxes.forEach(SupervisedInbox::start);
            supervision.start();
        } catch (RuntimeException | Error ex) {
            stop();
            throw ex;
        }
    }

    private Duration supervise() {
        inboxes.forEach(SupervisedInbox::supervise);
        Set<String> handlers = paused.handlers();
        inboxes.forEach(
                (inbox) -> inbox.pause(handlers.contains(inbox.settings().handlerId())));
        return INTERVAL;
    }

    /** Lists the inboxes that do not run, and why. */
    @Override
    public Map<String, Object> get() {
        Map<String, Object> stopped = new TreeMap<>();
        inboxes.forEach((inbox) -> {
            String problem = inbox.problem();
            if (problem != null) {
                stopped.put(inbox.settings().name(), problem);
            }
        });
        return stopped.isEmpty() ? Map.of() : Map.of("stoppedInboxes", stopped);
    }

    @Override
    public void stop() {
        CountDownLatch stopped = new CountDownLatch(1);
        stop(stopped::countDown);
        try {
            if (!stopped.await(SHUTDOWN_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
                log.warn("The consumers of the inboxes did not end within {}", SHUTDOWN_TIMEOUT);
            }
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        }
        running = false;
    }

    /** Stops all consumers at the same time. */
    @Override
    public void stop(Runnable callback) {
        Thread thread = checking;
        if (thread != null) {
            thread.interrupt();
            checking = null;
        }
        supervision.close(SHUTDOWN_TIMEOUT);
        AtomicInteger open = new AtomicInteger(inboxes.size() + 1);
        Runnable stopped = () -> {
            if (open.decrementAndGet() == 0) {
                running = false;
                callback.run();
            }
        };
        inboxes.forEach((inbox) -> inbox.stop(stopped));
        stopped.run();
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
