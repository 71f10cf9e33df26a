package dev.outbox.internal.background;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Work that somebody else's thread does round by round. */
public interface BackgroundTask {

    /**
     * Does what there is to do.
     *
     * @param closing whether the process is about to end
     * @return whether there is probably more
     * @throws SQLException if the database refused or could not be reached; the round is taken up again by the next one
     */
    boolean runOnce(BooleanSupplier closing) throws SQLException;

    /**
     * Says when another round is needed even if there is nothing to do, for the sake of what is under way.
     *
     * @return the time until then; empty if nothing is under way
     */
    Optional<Duration> lookAgainIn();

    /**
     * Brings to an end what is under way, when nobody works on it any more.
     *
     * @throws SQLException if the database refused or could not be reached
     */
    void finish() throws SQLException;
}
