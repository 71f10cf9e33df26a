package dev.outbox.crash;

import static dev.outbox.fixture.InBackground.awaitLatch;
import static org.awaitility.Awaitility.await;

import dev.outbox.EventEnvelope;
import dev.outbox.HandlerDefinition.EnvelopeHandler;
import dev.outbox.fixture.Orders.OrderPlaced;
import dev.outbox.fixture.Recorded;
import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.poll.PollerSettings;
import dev.outbox.listener.OutboxListener;
import dev.outbox.testing.CrashingPostgres;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.awaitility.core.ConditionFactory;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What tests need around a crash of the database: broken connections are not failures, and recovery has a deadline. */
final class Recovery {

    /** Every way in which a server of its own loses asynchronous commits and comes back. */
    enum Crash {
        SERVER((server) -> {
            server.crash();
            server.start();
        }),
        BACKEND(CrashingPostgres::crashBackend);

        private final Consumer<CrashingPostgres> crash;

        Crash(Consumer<CrashingPostgres> crash) {
            this.crash = crash;
        }

        void happenTo(CrashingPostgres server) {
            crash.accept(server);
        }
    }

    /** Counts the claims of a worker, found or not. */
    static final class Claims implements OutboxListener {

        private final AtomicInteger claims = new AtomicInteger();

        @Override
        public void claimed(String stream, Duration duration, int events) {
            claims.incrementAndGet();
        }

        /** Waits until the worker has asked again and again, and so has learned all that it can learn. */
        void awaitMore() {
            int before = claims.get();
            await().pollInterval(Duration.ofMillis(5)).until(() -> claims.get() >= before + 10);
        }
    }

    /** Looks for events all the time, and has a lease that no test waits for. */
    static final PollerSettings FAST =
            new PollerSettings(Duration.ofMillis(20), 50, Duration.ofSeconds(30), Duration.ofSeconds(10));

    private Recovery() {}

    /** Less than a lease, a minute's look at the whole queue, or a heartbeat takes. */
    static ConditionFactory eventually() {
        return await().atMost(Duration.ofSeconds(20))
                .pollInterval(Duration.ofMillis(20))
                .ignoreExceptions();
    }

    /** Publishes over a new connection if the first ones are broken. */
    static EventEnvelope publish(TestOutbox outbox, String aggregateId, int number) {
        return eventually().until(() -> outbox.publish(aggregateId, new OrderPlaced(number)), Objects::nonNull);
    }

    /** Commits synchronously, so that everything committed before it survives a crash. */
    static void flush(TestOutbox outbox) {
        JdbcClient sql = JdbcClient.create(outbox.database().dataSource());
        sql.sql("CREATE TABLE IF NOT EXISTS flushed (id int)").update();
        sql.sql("INSERT INTO flushed VALUES (1)").update();
    }

    /** Returns up to where the log of the server is written. */
    static String walPosition(TestOutbox outbox) {
        return outbox.value(String.class, "SELECT pg_current_wal_insert_lsn()::text");
    }

    /** Returns whether a crash loses what was committed asynchronously up to a position. The WAL writer flushes it every 10 s. */
    static boolean isLostInACrash(TestOutbox outbox, String position) {
        return outbox.value(Boolean.class, "SELECT pg_current_wal_flush_lsn() < ?::pg_lsn", position);
    }

    /** Handles the first event of an aggregate, after which only its settlement can be lost, and holds the others until the crash. */
    static EnvelopeHandler holdingUntil(CountDownLatch crashed, TestOutbox outbox, Recorded handled) {
        return (envelope) -> {
            if (envelope.sequence() == 1) {
                flush(outbox);
            } else {
                awaitLatch(crashed);
            }
            handled.handle(envelope);
        };
    }
}
