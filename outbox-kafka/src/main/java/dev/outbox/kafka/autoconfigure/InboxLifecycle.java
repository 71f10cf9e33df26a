package dev.outbox.kafka.autoconfigure;

import dev.outbox.kafka.internal.forwarder.TopicCheck;
import dev.outbox.kafka.internal.inbox.InboxSettings;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;
import org.springframework.kafka.listener.MessageListenerContainer;

/** Starts the consumers of the inboxes after the outbox, and stops them before it. */
final class InboxLifecycle implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(InboxLifecycle.class);

    /** After the phase of the outbox. */
    private static final int PHASE = DEFAULT_PHASE - 512;

    private final List<InboxSettings> inboxes;
    private final List<? extends MessageListenerContainer> containers;
    private final TopicCheck check;
    private final boolean enabled;
    private volatile boolean running;
    private volatile @Nullable Thread checking;

    InboxLifecycle(
            List<InboxSettings> inboxes,
            List<? extends MessageListenerContainer> containers,
            TopicCheck check,
            boolean enabled) {
        this.inboxes = inboxes;
        this.containers = containers;
        this.check = check;
        this.enabled = enabled;
    }

    @Override
    public void start() {
        if (enabled) {
            inboxes.forEach((inbox) -> log.info(
                    "Inbox {} receives {} in the group {}",
                    inbox.name(),
                    inbox.source().topics(),
                    inbox.source().group()));
            Thread thread = new Thread(check, "outbox-kafka-inbox-topics");
            thread.setDaemon(true);
            thread.start();
            checking = thread;
            startContainers();
        } else {
            log.info("Inboxes receive nothing here, because outbox.poller.enabled is false");
        }
        running = true;
    }

    /** Spring does not stop what has not started: the consumers of a failed start would continue without the application. */
    private void startContainers() {
        try {
            containers.forEach(MessageListenerContainer::start);
        } catch (RuntimeException | Error ex) {
            stop();
            throw ex;
        }
    }

    @Override
    public void stop() {
        endCheck();
        containers.forEach(MessageListenerContainer::stop);
        running = false;
    }

    /** Stops all consumers at the same time. */
    @Override
    public void stop(Runnable callback) {
        endCheck();
        AtomicInteger open = new AtomicInteger(containers.size());
        containers.forEach((container) -> container.stop(() -> {
            if (open.decrementAndGet() == 0) {
                running = false;
                callback.run();
            }
        }));
    }

    private void endCheck() {
        Thread thread = checking;
        if (thread != null) {
            thread.interrupt();
            checking = null;
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
