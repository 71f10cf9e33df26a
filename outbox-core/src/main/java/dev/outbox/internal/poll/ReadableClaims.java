package dev.outbox.internal.poll;

import dev.outbox.internal.failure.Causes;
import dev.outbox.internal.failure.Redaction;
import java.sql.SQLException;
import java.util.function.Predicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims one event at a time after two claims in a row that could not be read, to find the one that is the cause. Used by one call at a time. */
public final class ReadableClaims {

    private static final Logger log = LoggerFactory.getLogger(ReadableClaims.class);

    /** One claim may have failed for another reason. */
    private static final int UNREAD_BEFORE_ISOLATION = 2;

    private final String claims;
    private final int batchSize;
    private int unread;
    private int alone;

    /** Creates the claims of a name that log entries give, such as {@code stream default}. */
    public ReadableClaims(String claims, int batchSize) {
        this.claims = claims;
        this.batchSize = batchSize;
    }

    /** Claims a batch, or one event. */
    @FunctionalInterface
    public interface Attempt<T> {
        T claim(boolean alone) throws SQLException;
    }

    /** Claims a batch, or one event as long as a batch of them is left; the condition says whether the claim found any. */
    public <T> T claim(Attempt<T> attempt, Predicate<T> found) throws SQLException {
        if (isAlone()) {
            return claimAlone(attempt, found);
        }
        try {
            T claimed = attempt.claim(false);
            unread = 0;
            return claimed;
        } catch (SQLException | RuntimeException | Error ex) {
            if (!Causes.isUnreadable(ex) || ++unread < UNREAD_BEFORE_ISOLATION) {
                throw ex;
            }
            alone = batchSize;
            log.warn(
                    "Claims of {} could not be read; claiming one event at a time, to find the one that is too large for the heap or damaged",
                    claims,
                    Redaction.loggable(ex));
            return claimAlone(attempt, found);
        }
    }

    private <T> T claimAlone(Attempt<T> attempt, Predicate<T> found) throws SQLException {
        T claimed = attempt.claim(true);
        alone = found.test(claimed) ? alone - 1 : 0;
        unread = 0;
        return claimed;
    }

    /** Returns whether the next claim is one of one event. */
    public boolean isAlone() {
        return alone > 0;
    }
}
