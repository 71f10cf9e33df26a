package dev.outbox.internal.runtime;

import dev.outbox.internal.registry.InstanceStore;
import dev.outbox.internal.sql.Counted;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Publishes this instance's heartbeat and handlers for operators, and finds work that no wake-up has announced. */
final class InstanceHeartbeat {

    private static final Logger log = LoggerFactory.getLogger(InstanceHeartbeat.class);

    private static final Duration LONGEST_END = Duration.ofSeconds(1);

    /** How old a heartbeat becomes while a call lasts. */
    private static final Duration OLDEST_CALLS = Duration.ofSeconds(5);

    /** How old a heartbeat becomes whose calls have ended: longer, since one taken between two slow calls would name none. */
    private static final Duration OLDEST_ENDED_CALLS = Duration.ofSeconds(10);

    private final InstanceStore store;
    private final String name;
    private final @Nullable String application;
    private final Supplier<InstanceStore.Equipment> equipment;
    private final Supplier<Set<String>> topics;
    private final Look look;
    private volatile boolean written;
    private volatile boolean namesCalls;
    private volatile long begun = System.nanoTime();
    private boolean named;
    private volatile @Nullable Counted waiting;

    /** Receives the work that a look found, or null if it failed, with the time at which it began. Returns the time until the next. */
    @FunctionalInterface
    interface Look {
        Duration found(InstanceStore.@Nullable Work work, long begun);
    }

    InstanceHeartbeat(
            InstanceStore store,
            String name,
            @Nullable String application,
            Supplier<InstanceStore.Equipment> equipment,
            Supplier<Set<String>> topics,
            Look look) {
        this.store = store;
        this.name = name;
        this.application = application;
        this.equipment = equipment;
        this.topics = topics;
        this.look = look;
    }

    /** Publishes the first heartbeat on the calling thread: an instance is listed before its handlers are registered. */
    void start() {
        try {
            runOnce();
        } catch (SQLException | RuntimeException ex) {
            log.debug("Could not list instance {} yet; trying again in the background", name, ex);
        }
    }

    Duration runOnce() throws SQLException {
        written = false;
        begun = System.nanoTime();
        InstanceStore.Work work;
        try {
            InstanceStore.Equipment present = equipment.get();
            namesCalls = !present.activity().calls().isEmpty();
            work = store.seen(name, present);
        } catch (SQLException | RuntimeException | Error ex) {
            look.found(null, begun);
            throw ex;
        }
        written = true;
        Duration next = look.found(work, begun);
        nameApplication();
        return next;
    }

    /** Returns whether operators see an old state of the calls that last, which may be some at present. */
    boolean isOutdated(boolean lasting) {
        Duration oldest = lasting ? OLDEST_CALLS : OLDEST_ENDED_CALLS;
        return (lasting || namesCalls) && System.nanoTime() - begun >= oldest.toNanos();
    }

    /** Once per start: of two applications, the later one finds the other. */
    private void nameApplication() throws SQLException {
        if (application == null || named) {
            return;
        }
        for (InstanceStore.Shared shared :
                store.name(name, application, equipment.get().handlerIds(), topics.get())) {
            log.warn(
                    shared.isTopic()
                            ? "Applications {} and {} both have an inbox of the topic {}: each event is stored for the one that reads it first."
                                    + " Remove one of them, or give each application a schema of its own"
                            : "Applications {} and {} both have a handler {}: each event goes to one of them. Set @OutboxHandler(id = …) to"
                                    + " another id in one of them; parts of one application need the same spring.application.name",
                    application,
                    shared.application(),
                    shared.name());
        }
        named = true;
    }

    /**
     * Removes the row, which else disappears after a day, and returns how many events wait; empty if the database has failed before or takes
     * too long.
     */
    Optional<Counted> close() {
        if (!written) {
            return Optional.empty();
        }
        Thread end = new Thread(this::end, "outbox-instance-end");
        end.setDaemon(true);
        try {
            end.start();
            end.join(LONGEST_END.toMillis());
        } catch (InterruptedException ex) {
            Thread.currentThread().interrupt();
        } catch (OutOfMemoryError ex) {
            log.debug("Could not start the thread that removes instance {}; it is listed for a day", name, ex);
        }
        return Optional.ofNullable(waiting);
    }

    private void end() {
        waiting = null;
        try {
            store.delete(name);
            waiting = store.waiting();
        } catch (SQLException | RuntimeException ex) {
            log.debug("Could not remove instance {}, or count what waits", name, ex);
        }
    }
}
