package dev.outbox.internal.retention;

import dev.outbox.fixture.TestOutbox;
import dev.outbox.internal.retention.RetentionStore.Batch;
import dev.outbox.internal.sql.OutboxSchema;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;

/** Batches of retention, one after the other, for the tests of other packages. */
public final class RetentionSteps {

    public static final String ARCHIVE = RetentionStore.ARCHIVE;
    public static final String PURGE = RetentionStore.PURGE;
    public static final String TRIM_OPERATIONS = RetentionStore.TRIM_OPERATIONS;

    private final Retention retention;
    private Batch<OffsetDateTime> last = new Batch<>(0, RetentionStore.BEGINNING, true);

    public RetentionSteps(TestOutbox outbox, Duration age, boolean archive, int batchSize) {
        retention = new Retention(
                new RetentionSettings(age, archive, Duration.ofDays(30), batchSize),
                outbox.dataSource(),
                OutboxSchema.DEFAULT,
                OutboxSchema.DEFAULT_ARCHIVE,
                Clock.systemUTC(),
                null);
    }

    /** Archives published events whatever their age, and returns how many. */
    public static int archive(TestOutbox outbox) throws SQLException {
        return new RetentionSteps(outbox, Duration.ZERO, true, 1000).next();
    }

    /** Archives or deletes the next batch, and returns how many events it had. */
    public int next() throws SQLException {
        last = retention.archive(last.upTo());
        return last.rows();
    }

    /** Returns the time of the youngest event of the last batch. */
    public OffsetDateTime upTo() {
        return last.upTo();
    }
}
