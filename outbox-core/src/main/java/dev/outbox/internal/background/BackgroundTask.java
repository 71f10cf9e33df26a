package dev.outbox.internal.background;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BooleanSupplier;

/** Work that somebody else's thread does round by round. */
public interface BackgroundTask {

    /** Does what there is to do. */
    boolean runOnce(BooleanSupplier closing) throws SQLException;

    /** Says when another round is needed even if there is nothing to do, for the sake of what is under way. */
    Optional<Duration> lookAgainIn();

    /** Brings to an end what is under way, when nobody works on it any more. */
    void finish() throws SQLException;
}
