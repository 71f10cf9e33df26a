package dev.outbox.operations.internal.replay;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.operations.Replays;
import java.time.Duration;
import java.util.function.LongSupplier;

/** Feeders that no thread drives, the time that they may use, and their statements. */
public final class ReplayFeeders {

    public static final String ADD = ReplayStore.ADD;

    private ReplayFeeders() {}

    static ReplayFeeder of(Replays replays) {
        return of(replays, System::nanoTime);
    }

    static ReplayFeeder of(Replays replays, LongSupplier nanos) {
        return new ReplayFeeder((JdbcReplays) replays, (stream) -> {}, nanos, false);
    }

    /** As if the rate had not been used for some time. */
    static void allow(TestOutbox outbox, Duration unused) {
        outbox.sql()
                .sql("UPDATE events.outbox_replay SET fed_at = now() - ? * interval '1 microsecond'")
                .param(unused.toNanos() / 1000)
                .update();
    }
}
