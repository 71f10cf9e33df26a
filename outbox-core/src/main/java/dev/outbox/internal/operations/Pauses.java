package dev.outbox.internal.operations;

import dev.outbox.internal.delivery.AuditInfo;
import dev.outbox.internal.store.PauseStore;
import dev.outbox.operations.InvalidOperationException;
import dev.outbox.operations.InvalidOperationException.Reason;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Pauses and resumes handlers and streams, in every process, and wakes those that go on. */
final class Pauses {

    private static final Logger log = LoggerFactory.getLogger(Pauses.class);

    private final PauseStore store;
    private final Consumer<String> wake;

    Pauses(PauseStore store, Consumer<String> wake) {
        this.store = store;
        this.wake = wake;
    }

    boolean setHandler(String handlerId, boolean paused, AuditInfo instruction) throws SQLException {
        PauseStore.Done done = store.setHandler(handlerId, paused, instruction)
                .orElseThrow(() -> new InvalidOperationException(
                        Reason.UNKNOWN_HANDLER, "no process has ever registered a handler '" + handlerId + "'", null));
        return finish("handler " + handlerId, paused, instruction, done);
    }

    boolean pauseNewHandler(String handlerId, AuditInfo instruction) throws SQLException {
        return finish("handler " + handlerId, true, instruction, store.pauseNewHandler(handlerId, instruction));
    }

    boolean setStream(String stream, boolean paused, AuditInfo instruction) throws SQLException {
        PauseStore.Done done = store.setStream(stream, paused, instruction)
                .orElseThrow(
                        () -> new InvalidOperationException("no process has ever polled a stream '" + stream + "'"));
        return finish("stream " + stream, paused, instruction, done);
    }

    private boolean finish(String what, boolean paused, AuditInfo instruction, PauseStore.Done done) {
        if (done.changed()) {
            log.info("{} {} by {}", what, paused ? "paused" : "resumed", instruction.by());
            if (!paused) {
                done.streams().forEach(wake);
            }
        }
        return done.changed();
    }
}
