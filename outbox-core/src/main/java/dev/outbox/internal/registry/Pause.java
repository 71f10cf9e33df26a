package dev.outbox.internal.registry;

import dev.outbox.internal.sql.NamedSql;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Pause of a handler or stream. Claims compare its end with the clock of the database, so that nothing has to be written then.
 *
 * @param duration how long it lasts; zero to resume, and {@code null} until then
 */
public record Pause(@Nullable Duration duration) {

    public static final Pause UNTIL_RESUMED = new Pause(null);
    public static final Pause RESUME = new Pause(Duration.ZERO);

    /** A common table expression with the new end. */
    public static final String END = """
            pause AS (
                SELECT CASE WHEN :pause_millis::bigint = 0 THEN '-infinity'
                            ELSE coalesce(now() + :pause_millis::bigint * interval '1 millisecond', 'infinity') END AS until
            )""";

    /** Whether that changes the row {@code p}: a pause that has ended is not resumed. */
    public static final String CHANGES = "greatest(p.paused_until, now()) <> greatest(pause.until, now())";

    /** The end for the operation log. */
    public static final String RECORDED_END = "(SELECT pause.until FROM pause WHERE isfinite(pause.until))";

    public boolean resumes() {
        return duration != null && duration.isZero();
    }

    /** Sets the parameter of {@link #END}. */
    public NamedSql.Parameters bind(NamedSql.Parameters parameters) throws SQLException {
        return parameters.set("pause_millis", duration == null ? null : duration.toMillis());
    }
}
